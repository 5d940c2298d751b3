import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"

import { isLocalName } from "../../base/loopback.ts"
import { userAgent } from "../../base/user-agent.ts"
import type { ServiceAddress } from "./shared-inputs.ts"

export type ServiceResponse = {
  status: number
  headers: http.IncomingHttpHeaders
  /** From the header `accounts-version`. */
  versionId: string | undefined
  /** The `Set-Cookie` headers, unparsed. */
  cookies: string[]
  text: string
}

export type ServiceRequest = {
  path: string
  headers: Record<string, string>
  method?: "OPTIONS"
  /** Makes the request a POST and is sent as JSON. */
  body?: unknown
  /** Milliseconds for connection, head and body together. */
  timeout: number
}

/** One connection leads to one machine of the edge, which knows one deployment. */
export type Connection = {
  send(request: ServiceRequest): Promise<ServiceResponse>
  /** The next request gets a new connection, and so perhaps another machine. */
  close(): void
}

const thisMachine = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
]

/** Whatever the system's resolver knows. */
const findHere: LookupFunction = (_hostname, options, callback) =>
  options.all ? callback(null, thisMachine) : callback(null, "127.0.0.1", 4)

const bodyLimit = 100_000

export function openConnection(address: ServiceAddress): Connection {
  const { protocol } = new URL(address.connectTo ?? address.url)
  const { Agent } = protocol === "https:" ? https : http
  // The host stays in the URL, so the certificate is still checked for it.
  const lookup = isLocalName(new URL(address.url).hostname) ? { lookup: findHere } : {}
  const open = () => new Agent({ keepAlive: true, maxSockets: 1, proxyEnv: process.env, ...lookup })
  let agent = open()
  return {
    send: (request) => send({ address, request, agent }),
    close() {
      agent.destroy()
      agent = open()
    },
  }
}

/** A request on a connection of its own: an old one may lead to the previous version. */
export async function requestService({
  address,
  ...request
}: ServiceRequest & { address: ServiceAddress }): Promise<ServiceResponse> {
  const connection = openConnection(address)
  try {
    return await connection.send(request)
  } finally {
    connection.close()
  }
}

/** Uses node:http because `fetch` can only connect to the URL's own host. */
function send(input: {
  address: ServiceAddress
  request: ServiceRequest
  agent: http.Agent
}): Promise<ServiceResponse> {
  const { address, agent } = input
  const { path, headers, method, body, timeout } = input.request
  const url = new URL(path, address.url)
  const target =
    address.connectTo === undefined
      ? url
      : new URL(`${url.pathname}${url.search}`, address.connectTo)
  const { request } = target.protocol === "https:" ? https : http
  const payload = body === undefined ? undefined : JSON.stringify(body)

  const deadline = AbortSignal.timeout(timeout)

  return new Promise((resolve, reject) => {
    const late = () => new Error(`nothing within ${timeout / 1000} s`, { cause: deadline.reason })
    const fail = (error: Error) => reject(deadline.aborted ? late() : error)
    const outgoing = request(target, {
      method: method ?? (payload === undefined ? "GET" : "POST"),
      agent,
      headers: {
        ...address.headers,
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
        const { statusCode: status = 0, headers: received } = response
        resolve({ status, headers: received, versionId, cookies, text })
      })
    })
    outgoing.end(payload)
  })
}

/** The beginning of an answer, on one line of an error message. */
export function excerptOf(text: string): string {
  return text.slice(0, 200).replaceAll(/\s+/g, " ")
}
