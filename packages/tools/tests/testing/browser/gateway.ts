import { request as call, type IncomingMessage, type ServerResponse } from "node:http"

import { serve } from "@accounts-stack/local/daemon/testing/serve"

/** Bytes. Node and Cloudflare allow 16 KB with all headers; longer requests never reach a Worker. */
const longestUrl = 12 * 1024

/** Status 0 means no response; `failure` has the reason. */
type Exchange = { method: string; path: string; status: number; failure?: string }

/** Milliseconds: longer than a fuzzer keeps a connection idle, so that it never reuses a closing one. */
const idleTime = 300_000

/**
 * A proxy between a fuzzer and an environment. It sends each request from its own client address, so
 * that limits per address do not answer for the service, and replaces the session name in the fuzzer's
 * cookie by the cookie of an open session.
 */
export async function openGateway(options: {
  target: string
  /**
   * `Cookie` header of an open session; undefined for an unknown name. `from` is the client address
   * of the request.
   */
  sessionOf: (name: string, path: string, from: string) => Promise<string | undefined>
}) {
  const target = new URL(options.target)
  const exchanges: Exchange[] = []
  let clients = 0

  async function forward(request: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url = "/" } = request
    const path = url.split("?", 1)[0] ?? url
    if (url.length > longestUrl) {
      const refusal = { code: "BAD_REQUEST", message: "No edge accepts a URL of this length" }
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal))
      return
    }
    const body = Buffer.concat(await request.toArray())
    const headers = { ...request.headers, host: target.host }
    const localAddress = clientAddress((clients += 1))
    const cookie = await withSession(request.headers.cookie ?? "", (name) =>
      options.sessionOf(name, path, localAddress),
    )
    if (cookie === "") delete headers.cookie
    else headers.cookie = cookie
    const onward = call({
      host: "127.0.0.1",
      port: target.port,
      method,
      path: url,
      headers,
      localAddress,
    })
    onward.on("error", (error) => fail(request, response, error))
    onward.on("response", (answer) => {
      const status = answer.statusCode ?? 0
      exchanges.push({ method, path, status })
      response.writeHead(status, answer.rawHeaders)
      answer.pipe(response)
    })
    onward.end(body)
  }

  function fail(
    { method = "GET", url = "/" }: IncomingMessage,
    response: ServerResponse,
    error: unknown,
  ) {
    exchanges.push({ method, path: url, status: 0, failure: String(error) })
    response.destroy()
  }

  const limits = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: idleTime }
  const server = await serve((request, response) => {
    forward(request, response).catch((error: unknown) => fail(request, response, error))
  }, limits)
  return { url: server.url, exchanges, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

/** All of 127.0.0.0/8 is this machine: 65,024 addresses before the first repeats. */
function clientAddress(count: number) {
  return `127.1.${Math.floor(count / 254) % 256}.${1 + (count % 254)}`
}

/** The OpenAPI description has the cookie name of an https environment; its value is a session name. */
async function withSession(cookie: string, open: (name: string) => Promise<string | undefined>) {
  const parts = cookie.split(/;\s*/).map(async (part) => {
    const name = /^__Secure-accounts-production\.session_token=(\w*)$/.exec(part)?.[1]
    return (name && (await open(name))) ?? part
  })
  return (await Promise.all(parts)).filter((part) => part !== "").join("; ")
}
