import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import type { Plane } from "../plane/plane.ts"
import { errorPage } from "./error-page.ts"
import type { Faults } from "./faults.ts"
import { killProcesses } from "./kill-processes.ts"
import type { Action } from "./rule.ts"

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
    const found = await faults.find(
      { surface: "edge", method, path, host: hostname, client: headers["user-agent"] },
      // The response to a WebSocket upgrade can't be replaced.
      (action) => headers.upgrade === undefined || !("applied" in action && action.applied),
    )
    return found !== undefined && act(found.action, arrival, plane)
  }
}

async function act(action: Action, arrival: Arrival, plane: Plane): Promise<boolean> {
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

/** Lets the Worker run, and replaces its response as soon as that begins. */
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
 * Resets the TCP connection of a request, over TLS too: a TLS socket can't be reset, so this finds
 * the socket below it by the client's port.
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
