import http from "node:http"
import https from "node:https"

import { userAgent } from "../../user-agent.ts"
import type { ServiceAddress } from "./shared-inputs.ts"

export type ServiceResponse = {
  status: number
  /** From the header `accounts-version`. */
  versionId: string | undefined
  /** The `Set-Cookie` headers, unparsed. */
  cookies: string[]
  text: string
}

const bodyLimit = 100_000

/** Uses node:http because `fetch` can only connect to the URL's own host. */
export function requestService(input: {
  address: ServiceAddress
  path: string
  headers: Record<string, string>
  /** Makes the request a POST and is sent as JSON. */
  body?: unknown
  /** Milliseconds for connection, head and body together. */
  timeout: number
}): Promise<ServiceResponse> {
  const { address, path, headers, body, timeout } = input
  const url = new URL(path, address.url)
  const target = address.connectTo === undefined ? url : new URL(url.pathname, address.connectTo)
  const { request } = target.protocol === "https:" ? https : http
  const payload = body === undefined ? undefined : JSON.stringify(body)

  const deadline = AbortSignal.timeout(timeout)

  return new Promise((resolve, reject) => {
    const late = () => new Error(`nothing within ${timeout / 1000} s`, { cause: deadline.reason })
    const fail = (error: Error) => reject(deadline.aborted ? late() : error)
    const outgoing = request(target, {
      method: payload === undefined ? "GET" : "POST",
      // No connection is reused: an old one may lead to the previous version.
      agent: false,
      headers: {
        ...headers,
        host: url.host,
        "user-agent": userAgent,
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
