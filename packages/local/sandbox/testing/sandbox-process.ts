import { request } from "node:http"
import { text } from "node:stream/consumers"

import * as z from "zod"

import { startLocalProcess } from "../../daemon/testing/local-process.ts"

const Ready = z.object({ event: z.literal("ready"), pid: z.number(), url: z.url() })

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: unknown }

export async function startSandbox(
  name: "mail" | "payment" | "openid" | "checks",
  state: string,
  ...flags: string[]
) {
  const entry = `sandbox/${name}/main.js`
  const started = await startLocalProcess({ entry, state, folder: name, flags, Ready })
  const url = started.line.event === "ready" ? started.line.url : ""

  return {
    ...started,
    url,
    askAsOwner: asOwner(url, () => started.token()),
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      started.signal(signal)
      return started.exited
    },
    async [Symbol.asyncDispose]() {
      started.signal("SIGTERM")
      await started.exited
    },
  }
}

/** Sends requests with the token of a sandbox, as the commands do. */
export function asOwner(url: string, token: () => Promise<string>) {
  return async (path: string, options: RequestOptions = {}) => {
    const authorization = `Bearer ${await token()}`
    return ask(url + path, { ...options, headers: { authorization } })
  }
}

/** Can set every header, also `Host` and `Origin`, which `fetch` does not allow. */
export async function ask(url: string, { method, headers = {}, body }: RequestOptions = {}) {
  const form = body instanceof URLSearchParams
  const payload = body === undefined ? undefined : form ? body.toString() : JSON.stringify(body)
  const type = form ? "application/x-www-form-urlencoded" : "application/json"
  const outgoing = request(url, {
    method: method ?? (payload === undefined ? "GET" : "POST"),
    headers: { ...(payload === undefined ? {} : { "content-type": type }), ...headers },
  }).end(payload)
  const answer = Promise.withResolvers<{
    status: number
    headers: Record<string, string | string[] | undefined>
    text: string
    json: unknown
  }>()
  outgoing.on("error", answer.reject)
  outgoing.on("response", (response) => {
    text(response).then((content) => {
      answer.resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: content,
        json: content.startsWith("{") ? JSON.parse(content) : undefined,
      })
    }, answer.reject)
  })
  return await answer.promise
}
