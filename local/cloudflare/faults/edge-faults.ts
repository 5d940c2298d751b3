import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import type { Plane } from "../plane/plane.ts"
import { errorPage } from "./error-page.ts"
import type { Faults } from "./faults.ts"
import { kill } from "./kill-processes.ts"
import type { Action } from "./rule.ts"

/** A request at the edge, before a Worker is chosen for it. */
type Arrival = {
  request: IncomingMessage
  response: ServerResponse
  hostname: string
  path: string
  /** Ends the connection with a TCP reset. */
  reset: () => void
}

/** Does what the rules say. @returns whether nothing is left to do for the edge */
export type EdgeFaults = (arrival: Arrival) => Promise<boolean>

export function createEdgeFaults(faults: Faults, plane: Plane): EdgeFaults {
  return async (arrival) => {
    if (!faults.concerns("edge")) return false
    const { request, hostname, path } = arrival
    const { method, headers } = request
    const found = await faults.find(
      { surface: "edge", method, path, host: hostname, client: headers["user-agent"] },
      // An answer to a WebSocket's request is none that could be cut off or exchanged.
      (action) => headers.upgrade === undefined || !spoilsAnswer(action),
    )
    return found !== undefined && act(found.action, arrival, plane)
  }
}

function spoilsAnswer(action: Action): boolean {
  return action.type === "truncate" || ("applied" in action && action.applied)
}

async function act(action: Action, arrival: Arrival, plane: Plane): Promise<boolean> {
  const { request, response, reset } = arrival
  const { type } = action
  if (type === "delay") await sleep(action.ms)
  if (type === "kill") await kill(plane, action)
  if (type === "truncate") cutOff(response, request)
  if (type === "status") return now(action.applied, () => respond(response, action))
  if (type === "reset") return now(action.applied, reset)
  if (type === "hang") return now(action.applied, () => void request.resume())
  return false

  function now(later: boolean, answer: () => void): boolean {
    if (later) replaceAnswer(response, answer)
    else answer()
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

/** Lets the Worker do its work, and drops its answer when it begins. */
function replaceAnswer(response: ServerResponse, replacement: () => void): void {
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

/** Sends the head of the Worker's answer and half of what comes first of its body. */
function cutOff(response: ServerResponse, { socket }: IncomingMessage): void {
  const write = response.write.bind(response)
  Object.assign(response, {
    write: (chunk: Buffer) => {
      Object.assign(response, { write: () => true })
      response.flushHeaders()
      write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => socket.destroySoon())
      return true
    },
    end: () => {
      response.flushHeaders()
      socket.destroySoon()
      return response
    },
  })
}
