import { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import type { Http2Bindings, HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"

import type { Plane } from "../plane/plane.ts"
import { ApiError, failure } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { errorPage } from "./error-page.ts"
import type { Faults } from "./faults.ts"
import type { Disk } from "./full-disk.ts"
import { killProcesses } from "./kill-processes.ts"
import { canBePartial, partialRequest } from "./partial-request.ts"
import type { Action } from "./rule.ts"

type Env = HttpBindings | Http2Bindings
type Serve = (request: Request, env: Env) => Response | Promise<Response>

type Options = { faults: Faults; disk: Disk; plane: Plane }

/** Injects faults into requests to the API; routes under `/local/` never get any. */
export function withFaults(serve: Serve, { faults, disk, plane }: Options): Serve {
  async function serveWithFaults(request: Request, env: HttpBindings): Promise<Response> {
    if (!faults.concerns("api")) return serve(request, env)
    const buffer = buffered(request)
    const { pathname: path } = new URL(request.url)
    const { method } = request
    const found = await faults.find(
      {
        surface: "api",
        method,
        path,
        host: request.headers.get("host") ?? "",
        client: request.headers.get("user-agent") ?? "",
        text: buffer.text,
      },
      ({ type }) => type !== "partial" || canBePartial({ method, path }),
    )
    const pass = async () => serve(buffer.request(), env)
    return found === undefined ? pass() : act(found.action, { buffer, env, pass })
  }

  async function act(action: Action, { buffer, env, pass }: FaultyRequest): Promise<Response> {
    const { type } = action
    if ("applied" in action && action.applied) await drained(await pass())
    if (type === "status") return errorResponse(action)
    if (type === "hang") return new Promise<Response>(() => {})
    if (type === "reset") {
      env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    }
    if (type === "truncate") return truncate(await pass(), env)
    if (type === "malformed") return malformed(await pass())
    if (type === "partial") {
      await drained(await serve(await toPartial(buffer, action.keep), env))
      return Response.json(failure(unknownError()), { status: 500 })
    }
    if (type === "rate-limit") return tooManyRequests(action.retryAfter)
    if (type === "disk-full") return disk.whileFull(pass)
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
  buffer: ReturnType<typeof buffered>
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

async function toPartial(
  { request, text }: ReturnType<typeof buffered>,
  keep: number,
): Promise<Request> {
  const body = await text()
  const { url, method, headers } = request()
  const { pathname: path } = new URL(url)
  const part = partialRequest({ method, path, body }, keep) ?? { method, path, body }
  const changed = new Headers(headers)
  changed.set("content-type", "application/json")
  changed.delete("content-length")
  return new Request(new URL(part.path, url), {
    method: part.method,
    headers: changed,
    body: part.body,
  })
}

/** Sends the whole Content-Length and half of the body. */
async function truncate(
  response: Response,
  { incoming, outgoing }: HttpBindings,
): Promise<Response> {
  const content = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    "content-length": Math.max(1, content.length),
  })
  outgoing.flushHeaders()
  const half = content.subarray(0, Math.floor(content.length / 2))
  outgoing.write(half, () => incoming.socket.destroySoon())
  return RESPONSE_ALREADY_SENT
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

/** As Cloudflare documents it: 1,200 requests in 300 seconds. */
function tooManyRequests(seconds: number): Response {
  const message = "Please wait and consider throttling your request speed"
  return Response.json(failure(new ApiError(429, code.tooManyRequests, message)), {
    status: 429,
    headers: {
      "retry-after": String(seconds),
      ratelimit: `"default";r=0;t=${seconds}`,
      "ratelimit-policy": '"default";q=1200;w=300',
    },
  })
}

function unknownError() {
  return new ApiError(500, code.unknown, "An unknown error has occurred.")
}

async function drained(response: Response): Promise<void> {
  await response.arrayBuffer()
}

/** Drops the last two characters; the response stays complete HTTP. */
async function malformed(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  const text = await response.text()
  return new Response(text.slice(0, -2), { status: response.status, headers })
}
