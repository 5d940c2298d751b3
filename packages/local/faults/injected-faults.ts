import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import type { Http2Bindings, HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"

import type { Plane, DatabaseFaults, QueryFault } from "../plane/plane.ts"
import type { Faults } from "./faults.ts"
import type { Action } from "./rule.ts"

/** Returns the HTML error page of Cloudflare's edge, which ignores the `Accept` header. */
function errorPage(status: number): string {
  const title = titles.get(status) ?? "An error occurred"
  return `<!DOCTYPE html>
<html lang="en-US">
<head><title>${status}: ${title}</title></head>
<body>
<div id="cf-wrapper"><div id="cf-error-details">
<h1>${title} <span>Error code ${status}</span></h1>
<p>Please try again in a few minutes. Cloudflare Ray ID: local</p>
</div></div>
</body>
</html>
`
}

const titles = new Map([
  [500, "Internal server error"],
  [502, "Bad gateway"],
  [503, "Service temporarily unavailable"],
  [504, "Gateway time-out"],
  [520, "Web server is returning an unknown error"],
  [521, "Web server is down"],
  [522, "Connection timed out"],
  [524, "A timeout occurred"],
  [525, "SSL handshake failed"],
])

/** D1's timeout of a query, in milliseconds. */
const queryTimeout = 30_000
const timeoutText = "D1 DB storage operation exceeded timeout which caused object to be reset."

export function createDatabaseFaults(
  faults: Faults,
  plane: () => Pick<Plane, "processes">,
): DatabaseFaults {
  /** Waits for D1's query timeout, or until the rules change. */
  async function waitForTimeout() {
    const timer = new AbortController()
    const { signal } = timer
    await Promise.race([faults.changed(), sleep(queryTimeout, undefined, { signal, ref: false })])
    timer.abort()
  }

  return {
    active: () => faults.concerns("d1"),
    async find(database: string, sql: string): Promise<QueryFault | undefined> {
      const fault = await faults.find({ surface: "d1", database, text: async () => sql })
      if (fault === undefined) return undefined
      const { action } = fault
      const { type } = action
      if (type === "d1-error") return { error: action.error, applied: action.applied }
      if (type === "hang") {
        if (action.applied) return { error: timeoutText, applied: true, late: true }
        await waitForTimeout()
        return { error: timeoutText, applied: false }
      }
      if (type === "delay") await sleep(action.ms)
      if (type === "kill") await killProcesses(plane(), action)
      return undefined
    },
    waitForTimeout,
  }
}

/** A request at the edge, before the edge picks a Worker for it. */
type Arrival = {
  request: IncomingMessage
  response: ServerResponse
  hostname: string
  path: string
  /** Resets the TCP connection. */
  reset: () => void
}

/** Injects the fault of a matching rule. @returns whether the request is finished */
export type EdgeFaults = (arrival: Arrival) => Promise<boolean>

export function createEdgeFaults(faults: Faults, plane: Plane): EdgeFaults {
  return async (arrival) => {
    if (!faults.concerns("edge")) return false
    const { request, hostname, path } = arrival
    const { method, headers } = request
    const fault = await faults.find(
      { surface: "edge", method, path, host: hostname, client: headers["user-agent"] },
      // The response to a WebSocket upgrade can't be replaced.
      (action) => headers.upgrade === undefined || !("applied" in action && action.applied),
    )
    return fault !== undefined && actAtEdge(fault.action, arrival, plane)
  }
}

async function actAtEdge(action: Action, arrival: Arrival, plane: Plane): Promise<boolean> {
  const { request, response, reset } = arrival
  const { type } = action
  if (type === "delay") await sleep(action.ms)
  if (type === "kill") await killProcesses(plane, action)
  if (type === "status") return respondInstead(action.applied, () => respond(response, action))
  if (type === "reset") return respondInstead(action.applied, reset)
  if (type === "hang") return respondInstead(action.applied, () => void request.resume())
  return false

  function respondInstead(later: boolean, send: () => void): boolean {
    if (later) replaceResponse(response, send)
    else send()
    return !later
  }
}

function respond(response: ServerResponse, action: Extract<Action, { type: "status" }>): void {
  const { status, body, code, message, headers } = action
  const page = body === "html"
  response
    .writeHead(status, {
      ...headers,
      "content-type": `text/${page ? "html" : "plain"}; charset=UTF-8`,
      "cache-control": "no-store",
    })
    .end(page ? errorPage(status) : `error code: ${code}\n${message}\n`)
}

/** Lets the Worker run, and sends the replacement when its response begins. */
function replaceResponse(response: ServerResponse, replacement: () => void): void {
  const writeHead = response.writeHead.bind(response)
  Object.assign(response, {
    writeHead: () => {
      Object.assign(response, { writeHead })
      replacement()
      Object.assign(response, { write: () => true, end: () => response })
      return response
    },
  })
}

/**
 * Creates a function that resets the TCP connection of a request. A TLS socket can't be reset, so this finds the
 * underlying TCP socket by the client's port.
 */
export function createConnectionReset(server: Server): (request: IncomingMessage) => void {
  const connections = new Map<number | undefined, Socket>()
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket
    connections.set(remotePort, socket)
    socket.once("close", () => {
      if (connections.get(remotePort) === socket) connections.delete(remotePort)
    })
  })
  return ({ socket }) => {
    connections.get(socket.remotePort)?.resetAndDestroy()
    socket.destroy()
  }
}

type Kill = Extract<Action, { type: "kill" }>

/** Kills processes of the plane after `action.ms` milliseconds. At 0, resolves when they have exited. */
async function killProcesses(plane: Pick<Plane, "processes">, action: Kill): Promise<void> {
  const running = () =>
    plane
      .processes()
      .filter(({ name }) => name === action.process || name.startsWith(`${action.process} `))
      .map(({ pid }) => pid)
  const end = () => {
    const pids = running()
    for (const pid of pids) process.kill(pid, "SIGKILL")
    return pids
  }
  if (action.ms > 0) return void setTimeout(end, action.ms).unref()
  const endedProcesses = end()
  // A dying process still accepts connections for a moment.
  do await sleep(10)
  while (running().some((pid) => endedProcesses.includes(pid)))
}

type Env = HttpBindings | Http2Bindings
type Serve = (request: Request, env: Env) => Response | Promise<Response>

type Options = { faults: Faults; plane: Plane }

/** Injects faults into API requests, except under `/local/`. */
export function withFaults(serve: Serve, { faults, plane }: Options): Serve {
  async function serveWithFaults(request: Request, env: HttpBindings): Promise<Response> {
    if (!faults.concerns("api")) return serve(request, env)
    const buffer = buffered(request)
    const { method, headers } = request
    const fault = await faults.find({
      surface: "api",
      method,
      path: new URL(request.url).pathname,
      host: headers.get("host") ?? "",
      client: headers.get("user-agent") ?? "",
      text: buffer.text,
    })
    const pass = async () => serve(buffer.request(), env)
    return fault === undefined ? pass() : act(fault.action, { env, pass })
  }

  async function act(action: Action, { env, pass }: FaultyRequest): Promise<Response> {
    const { type } = action
    if ("applied" in action && action.applied) await drained(await pass())
    if (type === "status") return errorResponse(action)
    if (type === "hang") return new Promise<Response>(() => {})
    if (type === "reset") {
      env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    }
    if (type === "delay") await sleep(action.ms)
    if (type === "kill") await killProcesses(plane, action)
    return pass()
  }

  return async (request, env) => {
    const isLocalRoute = new URL(request.url).pathname.startsWith("/local/")
    return isLocalRoute || !isHttp1(env) ? serve(request, env) : serveWithFaults(request, env)
  }
}

type FaultyRequest = {
  env: HttpBindings
  pass: () => Promise<Response>
}

/** The API is served over HTTP/1.1 only. */
function isHttp1(env: Env): env is HttpBindings {
  return env.outgoing instanceof ServerResponse
}

/** Wraps a request so that its body can be read before the request is served. */
function buffered(request: Request) {
  let current = request
  async function text(): Promise<string> {
    const content = await current.arrayBuffer()
    const { url, method, headers } = request
    const body = method === "GET" || method === "HEAD" ? null : content
    current = new Request(url, { method, headers, body })
    return Buffer.from(content).toString("utf8")
  }
  return { request: () => current, text }
}

function errorResponse({ status, body, code: number, message, headers }: ErrorAction): Response {
  if (body === "json") {
    const errors = [{ code: number, message }]
    return Response.json(
      { success: false, errors, messages: [], result: null },
      { status, headers },
    )
  }
  return new Response(errorPage(status), {
    status,
    headers: { ...headers, "content-type": "text/html; charset=UTF-8" },
  })
}

type ErrorAction = Extract<Action, { type: "status" }>

async function drained(response: Response): Promise<void> {
  await response.arrayBuffer()
}
