import http from "node:http"
import https from "node:https"

/** Where the service answers and, for a loopback stand-in, the address to connect to instead. */
export type Place = { url: string; connectTo?: string | undefined }

export type Answer = {
  status: number
  /** The header `accounts-version`: which version of the service answered. */
  versionId: string | undefined
  /** Each `Set-Cookie` as it came. */
  cookies: string[]
  text: string
}

const bodyLimit = 100_000

/** `fetch` cannot connect elsewhere than to the URL's host, hence node:http. */
export function requestService(input: {
  place: Place
  path: string
  headers: Record<string, string>
  /** Sent as JSON, by POST. */
  body?: unknown
  /** Milliseconds for connection, head and body together. */
  timeout: number
}): Promise<Answer> {
  const { place, path, headers, body, timeout } = input
  const url = new URL(path, place.url)
  const target = place.connectTo === undefined ? url : new URL(url.pathname, place.connectTo)
  const { request } = target.protocol === "https:" ? https : http
  const payload = body === undefined ? undefined : JSON.stringify(body)

  const deadline = AbortSignal.timeout(timeout)

  return new Promise((resolve, reject) => {
    const late = () => new Error(`nothing within ${timeout / 1000} s`, { cause: deadline.reason })
    const fail = (error: Error) => reject(deadline.aborted ? late() : error)
    const outgoing = request(target, {
      method: payload === undefined ? "GET" : "POST",
      // A connection of its own each time: a kept one may be tied to the version before.
      agent: false,
      headers: {
        ...headers,
        host: url.host,
        accept: "application/json",
        ...(payload !== undefined && { "content-type": "application/json" }),
      },
      signal: deadline,
    })
    outgoing.on("error", fail)
    outgoing.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("error", fail)
      response.on("data", (chunk: string) => {
        text += chunk
        if (text.length > bodyLimit) response.destroy(new Error("the answer is too long"))
      })
      response.on("end", () => {
        const header = response.headers["accounts-version"]
        const versionId = Array.isArray(header) ? header[0] : header
        const cookies = response.headers["set-cookie"] ?? []
        resolve({ status: response.statusCode ?? 0, versionId, cookies, text })
      })
    })
    outgoing.end(payload)
  })
}
