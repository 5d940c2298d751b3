import { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import type { Http2Bindings, HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"

import type { Plane } from "../plane/plane.ts"
import { errorPage } from "./error-page.ts"
import type { Faults } from "./faults.ts"
import { killProcesses } from "./kill-processes.ts"
import type { Action } from "./rule.ts"

type Env = HttpBindings | Http2Bindings
type Serve = (request: Request, env: Env) => Response | Promise<Response>

type Options = { faults: Faults; plane: Plane }

/** Injects faults into requests to the API; routes under `/local/` never get any. */
export function withFaults(serve: Serve, { faults, plane }: Options): Serve {
  async function serveWithFaults(request: Request, env: HttpBindings): Promise<Response> {
    if (!faults.concerns("api")) return serve(request, env)
    const buffer = buffered(request)
    const { method, headers } = request
    const found = await faults.find({
      surface: "api",
      method,
      path: new URL(request.url).pathname,
      host: headers.get("host") ?? "",
      client: headers.get("user-agent") ?? "",
      text: buffer.text,
    })
    const pass = async () => serve(buffer.request(), env)
    return found === undefined ? pass() : act(found.action, { env, pass })
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

/** Lets a request's body be read before the request is passed on. */
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
