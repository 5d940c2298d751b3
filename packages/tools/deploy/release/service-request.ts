import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"

import * as z from "zod"

import { isLocalName, isLoopback } from "../../base/loopback.ts"
import { userAgent } from "../../base/user-agent.ts"

export const ServiceUrl = z.url({ protocol: /^https?$/, error: "url is an http(s) URL" })

/** Lower-cases header names, so that none of them duplicates a header of the trial. */
export const TrialHeaders = z
  .record(
    z.string().regex(/^[\w-]+$/, "is no name of a header"),
    z.string().regex(/^[\x20-\x7e]+$/, "has characters that no header may have"),
  )
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )

/** Inputs with the address of the service and how to reach it. */
export const addressInputs = {
  url: ServiceUrl,
  /** Loopback address to connect to instead of the URL's host. Any other address could redirect traffic. */
  connectTo: z
    .string()
    .refine(isLoopback, 'connectTo is "http://127.0.0.1:PORT" or is left out')
    .optional(),
  /** Name of the zone that has the URL's host and its routes. */
  zone: z.string().optional(),
  /** Headers of every request, such as a service token of Access or a value that a WAF rule checks. */
  trialHeaders: TrialHeaders.optional(),
}

export type ServiceAddress = {
  url: string
  connectTo?: string | undefined
  headers?: Record<string, string> | undefined
}

/** The settings that a release needs to sign up a smoke-test account. */
export const SmokeTest = z.strictObject({
  key: z.string().min(32, "SMOKE_KEY has 32 characters or more"),
  /** Origin of the front end: the trial calls the service as its pages do. */
  origin: ServiceUrl,
})
export type SmokeTest = z.infer<typeof SmokeTest>

export type ServiceResponse = {
  status: number
  headers: http.IncomingHttpHeaders
  /** From the header `accounts-version`. */
  versionId: string | undefined
  /** The `Set-Cookie` headers, unparsed. */
  cookies: string[]
  text: string
}

type ServiceRequest = {
  path: string
  headers: Record<string, string>
  method?: "OPTIONS"
  /** Makes the request a POST and is sent as JSON. */
  body?: unknown
  /** Milliseconds for connection, head and body together. */
  timeout: number
}

/** A connection to one machine of the edge, which knows one deployment. */
type Connection = {
  send(request: ServiceRequest): Promise<ServiceResponse>
  /** The next request gets a new connection, and so perhaps another machine. */
  close(): void
}

const loopbackAddresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
]

/** Resolves a local name to loopback without the system's resolver, which may not know it. */
const findHere: LookupFunction = (_hostname, options, callback) =>
  options.all ? callback(null, loopbackAddresses) : callback(null, "127.0.0.1", 4)

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

/** Sends a request on a new connection: an existing connection may lead to the previous version. */
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

/** Shortens a response to one line for an error message. */
export function excerptOf(text: string): string {
  return text.slice(0, 200).replaceAll(/\s+/g, " ")
}

export type Override = { scriptName: string; versionId: string }

/** Returns headers that send a request to one version, regardless of its share of the traffic. */
export function overrideHeaders(override: Override | undefined): Record<string, string> {
  if (override === undefined) return {}
  const { scriptName, versionId } = override
  return { "cloudflare-workers-version-overrides": `${scriptName}="${versionId}"` }
}

/** The reason why something in front of the Worker answered instead. */
type Refusal = {
  problem: string
  /** Whether waiting is useless, because the request must be allowed first. */
  final: boolean
}

const headersKey = "accounts:trialHeaders"

/**
 * Names the Cloudflare product that answered instead of the Worker, and what to allow there. See
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/,
 * https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
 * and https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/.
 */
export function describeRefusal(response: ServiceResponse): Refusal {
  const { status, text } = response
  const code = /error code: (\d{4})\b/i.exec(text)?.[1]
  const final = (problem: string): Refusal => ({ problem: `${status}: ${problem}`, final: true })
  const passing = (problem: string): Refusal => ({ problem: `${status}: ${problem}`, final: false })

  const login = accessLogin(response)
  if (login !== undefined || response.headers["cf-access-domain"] !== undefined) {
    const how = login === undefined ? "refuses this client" : `asks for a login at ${login}`
    return final(
      `Cloudflare Access ${how}. Let releases pass with a service token: add a policy with the action ` +
        `Service Auth for it, and seal its CF-Access-Client-Id and CF-Access-Client-Secret under ${headersKey}`,
    )
  }
  if (response.headers["cf-mitigated"] === "challenge") {
    return final(
      "Cloudflare challenges this client as a bot (cf-mitigated: challenge). Turn off Bot Fight Mode for the zone, " +
        `which no rule can skip, or add a WAF rule that skips challenges for a header under ${headersKey}`,
    )
  }
  if (code === "1010") {
    return final(
      "Cloudflare's Browser Integrity Check refused this client (error 1010). Turn it off for this host with a " +
        "configuration rule of the zone",
    )
  }
  if (code === "1020") {
    return final(
      "a WAF rule of the zone refused this client (error 1020). Add a rule before it that skips it for a header " +
        `under ${headersKey}`,
    )
  }
  if (code === "1016" || status === 530) {
    return passing(
      "the host's DNS record leads to no origin (error 1016): no Worker is attached to the host here yet",
    )
  }
  if (status === 429) {
    const wait = response.headers["retry-after"]
    return passing(
      `a rate limit of the zone refused this client (error ${code ?? "1015"})` +
        `${wait === undefined ? "" : `, for ${wait} s`}. Let the rate limiting rule skip a header under ${headersKey}`,
    )
  }
  return {
    problem: `${status} without the header accounts-version: no version of this service answered`,
    final: false,
  }
}

/** Returns the host of the login page if Access redirects to it; otherwise undefined. */
function accessLogin({ status, headers }: ServiceResponse): string | undefined {
  const { location = "" } = headers
  if (status < 300 || status > 399 || !URL.canParse(location)) return undefined
  const { hostname, pathname } = new URL(location)
  const isLogin =
    hostname.endsWith(".cloudflareaccess.com") || pathname.startsWith("/cdn-cgi/access/")
  return isLogin ? hostname : undefined
}
