import { createHash } from "node:crypto"
import {
  type IncomingMessage,
  type Server,
  ServerResponse,
  createServer,
  type IncomingHttpHeaders,
} from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type SecureContext, createSecureContext } from "node:tls"
import { callbackify } from "node:util"

import { idleTimeout, listen, rejectPortInUse, ProcessStartError } from "../daemon/listen.ts"
import { type EdgeFaults, createConnectionReset } from "../faults/injected-faults.ts"
import type { EdgeRequest } from "../log/event-log.ts"
import { sendEdgeAnswer } from "../plane/edge-error.ts"
import { createForward, type Upgrade, headerLimit } from "../plane/forward.ts"
import { NotRunningError, type Plane } from "../plane/plane.ts"
import type { Authority } from "./authority.ts"
import {
  type EdgeListener,
  type RequestAddress,
  readRequestAddress,
  setForwardedHeaders,
} from "./request-address.ts"
import {
  type RoutingTable,
  type Target,
  findTarget,
  resolveHost,
  type LiveVersion,
} from "./routing-table.ts"
import type { Protection } from "./zone-protection.ts"

/** Certificates kept in memory. The cache is bounded because a wildcard route matches any number of hostnames. */
const cacheSize = 500

const namePattern = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*$/

/** Resolves to undefined for an unknown or malformed hostname. */
type Certificates = (hostname: string) => Promise<SecureContext | undefined>

export function createCertificates(
  authority: Authority,
  isKnown: (hostname: string) => boolean,
): Certificates {
  const contexts = new Map<string, Promise<SecureContext>>()

  async function issue(hostname: string) {
    // An empty `ca` keeps Node from loading its root certificates: client certificates are never requested.
    return createSecureContext({
      minVersion: "TLSv1.2",
      ca: [],
      ...(await authority.issue(hostname)),
    })
  }

  return async (name) => {
    const hostname = name.toLowerCase()
    if (!namePattern.test(hostname) || !isKnown(hostname)) return undefined
    const context = contexts.get(hostname) ?? issue(hostname)
    contexts.delete(hostname)
    contexts.set(hostname, context)
    for (const oldest of [...contexts.keys()].slice(0, -cacheSize)) contexts.delete(oldest)
    return context
  }
}

type EdgeOptions = {
  /** 0 picks any free port. */
  port: number
  /** Makes the edge serve HTTPS; the handshake fails for a host without a certificate. */
  certificates?: Certificates
  plane: Plane
  /** The routing table for the requests of a connection. */
  table: (connection: object) => RoutingTable
  /** Starts a version that is not running, for example for its preview URL. Idempotent. */
  wake: (versionId: string) => Promise<void>
  onRequest: (entry: EdgeRequest) => void
  faults?: EdgeFaults
  /** Rejects requests that the zone's settings block. */
  protection?: Protection
  /** Returns the host's origin server, such as `localhost:5173`; it gets the requests that no Worker answers. */
  origin?: (hostname: string) => string | undefined
}

type Edge = { port: number; close: () => Promise<void> }

const toOrigin = createForward()

/** Maximum attempts to choose a version: each chosen version may just have stopped. */
const attempts = 5
/** Milliseconds that requests in flight get when the edge closes. */
const drainTime = 5000

/** @throws an error with code `EADDRINUSE` if the port is taken */
export async function openEdge(options: EdgeOptions): Promise<Edge> {
  const { certificates } = options
  const server = createEdgeServer(certificates)
  const port = await listen(server, options.port)
  const listener: EdgeListener = { scheme: certificates ? "https" : "http", port }
  const sockets = new Set<Duplex>()
  const resetOf = createConnectionReset(server)
  server.on("request", (request, response) => {
    const reset = () => resetOf(request)
    void answer(options, listener, { request, response, reset })
  })
  server.on("upgrade", (request, socket, head) => {
    if (!(socket instanceof Socket)) return void socket.destroy()
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    // Node has removed its own listener, and an unhandled error would crash the process.
    socket.on("error", () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once("finish", () => socket.end())
    const reset = () => resetOf(request)
    return void answer(options, listener, { request, response, reset, upgrade: { socket, head } })
  })
  return { port, close: () => close(server, sockets) }
}

function createEdgeServer(certificates: Certificates | undefined): Server {
  const limits = {
    keepAliveTimeout: idleTimeout,
    maxHeaderSize: headerLimit,
    // A server may ignore any other upgrade.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === "websocket",
  }
  if (certificates === undefined) return createServer(limits)
  // There is no default certificate: the handshake fails for any other host.
  // An empty `ca` keeps Node from loading its root certificates: client certificates are never requested.
  return createSecureServer({ ...limits, ca: [], SNICallback: callbackify(certificates) })
}

type Incoming = {
  request: IncomingMessage
  response: ServerResponse
  reset: () => void
  upgrade?: Upgrade
}

async function answer(
  options: EdgeOptions,
  listener: EdgeListener,
  { reset, ...incoming }: Incoming,
): Promise<void> {
  const { request, response } = incoming
  const { plane, table, wake, onRequest, faults, protection, origin } = options
  const arrived = performance.now()
  const time = new Date().toISOString()
  const address = readRequestAddress(request, listener)
  let script: string | null = null
  let versionId: string | null = null
  let isException = false
  const onException = () => void (isException = true)
  response.once("close", () => {
    onRequest({
      time,
      method: request.method ?? "",
      host: address?.host ?? "",
      path: address?.pathname ?? request.url ?? "",
      status: response.headersSent ? response.statusCode : 499,
      ms: Math.round(performance.now() - arrived),
      script,
      versionId,
      outcome: isException ? "exception" : response.headersSent ? "ok" : "canceled",
    })
  })
  if (!address) return refuse(response, 400, "error code: 1003")
  const { hostname, pathname: path } = address
  if (Number(request.headers["content-length"]) > bodyLimit) return refuseBody(response)
  if (await faults?.({ request, response, hostname, path, reset })) return
  const refusal = protection?.({ headers: request.headers, address })
  if (refusal) return sendEdgeAnswer(response, refusal)

  setForwardedHeaders(request, address)
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const current = table(request.socket)
    const target = findTarget(current, address)
    const dns = resolveHost(current, hostname)
    if (target && dns !== "proxied") return refuse(response, 530, unresolved(hostname, dns))
    script = target?.script ?? null
    versionId = target ? versionOf(target, request) : null
    if (versionId === null) {
      const server = target || dns !== "proxied" ? undefined : origin?.(hostname)
      if (server === undefined) return refuse(response, 404, nothingAt(address))
      return await toOrigin
        .send({ ...incoming, address: server, url: `${path}${address.search}` })
        .catch(() => refuse(response, 521, `error code: 521\n${server} does not answer`))
    }
    try {
      if (!plane.running(versionId)) await wake(versionId)
      return await plane.serve(versionId, { ...incoming, url: address.url, onException })
    } catch (error) {
      // The version was retired between the choice and now: choose again from the new table.
      if (!(error instanceof NotRunningError)) return refuse(response, 500, "error code: 1101")
    }
  }
  return refuse(response, 503, "error code: 1105")
}

function versionOf({ script, versionId, live }: Target, { headers }: IncomingMessage) {
  return versionId ?? chooseVersion({ script, versions: live, headers }) ?? null
}

/**
 * Returns Cloudflare's nearest error, with the reason. The real edge never gets such a request: a route creates no
 * DNS record, so clients get NXDOMAIN or connect elsewhere
 * (developers.cloudflare.com/workers/configuration/routing/routes).
 */
function unresolved(hostname: string, dns: "dns-only" | "none"): string {
  const reason = dns === "none" ? "has no DNS record" : "has a DNS record that is not proxied"
  return `error code: 1016\n${hostname} ${reason}: a route needs a proxied one, such as AAAA 100::`
}

/**
 * Largest Content-Length in bytes, as on the Free and Pro plans (developers.cloudflare.com/workers/platform/limits).
 * Assumed: MB there means MiB, and Cloudflare sends the page below.
 */
const bodyLimit = 100 * 1024 * 1024

function refuseBody(response: ServerResponse): void {
  const title = "413 Request Entity Too Large"
  response
    .writeHead(413, { "content-type": "text/html", server: "cloudflare", connection: "close" })
    .end(
      `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`,
    )
}

/** Returns a hint for a request to the listener's own address, and Cloudflare's text for other hosts. */
function nothingAt({ hostname, pathname }: RequestAddress): string {
  if (pathname !== "/" || !/^(?:127\.0\.0\.1|\[::1\])$/.test(hostname)) return "error code: 1042"
  return `error code: 1042
This is the edge of the local Cloudflare. No Worker answers at ${hostname}: ask for a Worker's own host.
\`./accounts local status\` lists what is deployed.`
}

/** Sends an error in plain text. */
function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=UTF-8",
      "cache-control": "no-store",
    })
    .end(`${text}\n`)
}

/** Drains requests, and destroys WebSockets: they would not end before the deadline, and their clients reconnect. */
function close(server: Server, sockets: Set<Duplex>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drainTime)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
    for (const socket of sockets) socket.destroy()
  })
}

type EdgeListenersOptions = {
  /** 0 picks any free port, as for HTTPS. */
  http: number
  /** Unless `required`, a taken port is replaced by any free one. */
  https: { port: number; required: boolean }
  authority: Authority
  edge: Omit<EdgeOptions, "port" | "certificates">
  /** Whether a Worker may answer on the host. Only such hosts get a certificate. */
  routes: (hostname: string) => boolean
  onLog: (line: string) => void
}

/** @throws ProcessStartError PORT_IN_USE */
export async function openEdgeListeners(options: EdgeListenersOptions) {
  const plain = await rejectPortInUse({ port: options.http, flag: "--port" }, () =>
    openEdge({ ...options.edge, port: options.http }),
  )
  try {
    const secure = await openSecure(options)
    return {
      http: plain.port,
      https: secure.port,
      close: async () => {
        await Promise.all([plain.close(), secure.close()])
      },
    }
  } catch (error) {
    await plain.close()
    throw error
  }
}

async function openSecure({
  https,
  authority,
  edge,
  routes,
  onLog,
}: EdgeListenersOptions): Promise<Edge> {
  const certificates = createCertificates(authority, routes)
  const openAt = (port: number) =>
    rejectPortInUse({ port, flag: "--https-port" }, () => openEdge({ ...edge, port, certificates }))
  try {
    return await openAt(https.port)
  } catch (error) {
    if (https.required || !(error instanceof ProcessStartError)) throw error
    const secure = await openAt(0)
    onLog(`Port ${https.port} is taken by another program; HTTPS is on port ${secure.port}`)
    return secure
  }
}

/**
 * Chooses the version that answers: the one in the caller's override header, else always the same one
 * for the same version key, else a random one by percentage. Undefined when no version has a share.
 */
export function chooseVersion({ script, versions, headers, random = Math.random }: Choice) {
  const overrideId = parseOverrides(
    joinHeader(headers["cloudflare-workers-version-overrides"]),
  ).get(script)
  const override = versions.find(({ versionId }) => versionId === overrideId)
  if (override) return override.versionId

  const key = joinHeader(headers["cloudflare-workers-version-key"])
  return versionAt(versions, key === "" ? random() : pointOf(script, key))
}

type Choice = {
  script: string
  versions: LiveVersion[]
  headers: IncomingHttpHeaders
  /** Returns a number in [0, 1). */
  random?: () => number
}

/** Sorts versions by id: a version whose share grows then keeps its keys, whatever order the deployment lists. */
function versionAt(versions: LiveVersion[], point: number): string | undefined {
  const shares = versions
    .filter(({ percentage }) => percentage > 0)
    .toSorted((a, b) => (a.versionId < b.versionId ? -1 : 1))
  const total = shares.reduce((sum, { percentage }) => sum + percentage, 0)
  let passed = 0
  return shares.find(({ percentage }) => (passed += percentage) > point * total)?.versionId
}

/** A number in [0, 1), evenly distributed over keys. */
function pointOf(script: string, key: string): number {
  return createHash("sha256").update(`${script}\0${key}`).digest().readUInt32BE() / 2 ** 32
}

/**
 * Parses a dictionary of strings (RFC 9651): `my-worker="id", other="id"`. Ignores parameters; a
 * malformed header counts as empty.
 */
function parseOverrides(header: string): Map<string, string> {
  const overrides = new Map<string, string>()
  const member = /[ \t]*([a-z*][a-z0-9_.*-]*)="((?:[^"\\]|\\["\\])*)"(?:;[^,"]*)?[ \t]*(?:,|$)/y
  while (member.lastIndex < header.length) {
    const [, script = "", versionId = ""] = member.exec(header) ?? []
    if (script === "") return new Map()
    overrides.set(script, versionId)
  }
  return overrides
}

function joinHeader(header: string | string[] | undefined): string {
  return [header ?? ""].flat().join(", ")
}
