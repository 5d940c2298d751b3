import { Agent, request as open } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

import { cf, cfHeader } from "./miniflare.ts"

/** workerd closes idle connections after 5 s; whoever reuses one has to be quicker. */
const idleTime = 3000
/** Cloudflare's limit of all headers of a request. */
export const headerLimit = 128 * 1024

/** Passes requests on to a Worker's socket, and its answers back, as they stream. */
export function createForward() {
  const agent = new Agent({ keepAlive: true, timeout: idleTime, maxFreeSockets: 64 })

  /**
   * Resolves when the answer has ended, also when the client or the Worker broke it off; that of a
   * WebSocket ends with its connection.
   * @throws what connecting threw; then nothing was read of the request
   */
  function send({ address, url, request, response, upgrade }: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      const [host, port] = address.split(":")
      let connected = false
      const upstream = open({
        // A connection that becomes a WebSocket's never goes back to the others.
        agent: upgrade === undefined && agent,
        host,
        port,
        // An absolute request target is the URL that the Worker sees.
        path: url,
        method: request.method ?? "GET",
        headers: { ...forwarded(request), ...(upgrade && upgradeHeaders) },
        maxHeaderSize: headerLimit,
      })
      upstream.on("socket", (socket) => {
        const start = () => {
          connected = true
          if (upgrade) upstream.end()
          else request.pipe(upstream)
        }
        if (socket.connecting) socket.once("connect", start)
        else start()
      })
      upstream.on("response", (answer) => {
        const { statusCode = 502, statusMessage = "", rawHeaders } = answer
        response.writeHead(statusCode, statusMessage, returned(rawHeaders))
        answer.pipe(response)
        answer.on("error", () => response.destroy())
      })
      upstream.on("upgrade", ({ rawHeaders }, peer, first) => {
        const headers = [...returned(rawHeaders), ...Object.entries(upgradeHeaders).flat()]
        response.writeHead(101, headers).flushHeaders()
        if (upgrade) join(upgrade, { socket: peer, head: first })
        else peer.destroy()
      })
      upstream.on("error", (error) => {
        if (!connected) return reject(error)
        request.unpipe(upstream)
        badGateway(response)
      })
      response.once("close", () => {
        upstream.destroy()
        resolve()
      })
    })
  }

  return { send, close: () => agent.destroy() }
}

export type Exchange = {
  address: string
  url: string
  request: IncomingMessage
  response: ServerResponse
  /** Of a request for a WebSocket. */
  upgrade?: Upgrade | undefined
}

/** Either end of a connection that stops to be HTTP, and what came with the last of that. */
export type Upgrade = { socket: Duplex; head: Buffer }

const upgradeHeaders = { connection: "Upgrade", upgrade: "websocket" }

function join(one: Upgrade, other: Upgrade) {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.socket.on("error", () => to.socket.destroy())
    from.socket.on("close", () => to.socket.destroy())
    if (from.head.length > 0) to.socket.write(from.head)
    from.socket.pipe(to.socket)
  }
}

/** The process that had the request is gone; whether the Worker acted on it is unknown. */
export function badGateway(response: ServerResponse) {
  if (response.headersSent) return response.destroy()
  return response
    .writeHead(502, { "content-type": "text/plain; charset=UTF-8", "cache-control": "no-store" })
    .end("error code: 502\n")
}

/** Headers that concern one connection only; RFC 9110, 7.6.1. */
const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
])

function forwarded({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name))
  const clientAcceptEncoding = headers["accept-encoding"] ?? ""
  return {
    ...Object.fromEntries(kept),
    [cfHeader]: JSON.stringify({ ...cf, clientAcceptEncoding, ...tlsOf(socket) }),
  }
}

/** In Cloudflare's words, which differ from OpenSSL's for the ciphers of TLS 1.3. */
function tlsOf(socket: Socket) {
  if (!(socket instanceof TLSSocket)) return {}
  const { name } = socket.getCipher()
  const tlsCipher = name.startsWith("TLS_")
    ? `AEAD-${name.slice(4).replace("AES_", "AES").replaceAll("_", "-")}`
    : name
  return { tlsVersion: socket.getProtocol() ?? "", tlsCipher }
}

/** Pairs of name and value, in a flat list as Node has them: repeated headers stay apart. */
function returned(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ""
    return !connectionHeaders.has(name.toLowerCase())
  })
}
