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
import { kill } from "./kill-processes.ts"
import { hasPart, partOf } from "./partial-request.ts"
import { createRateLimit, rateHeaders } from "./rate-limit.ts"
import type { Answer } from "./response-history.ts"
import { createResponseHistory } from "./response-history.ts"
import type { Action } from "./rule.ts"
import type { SettingsStore } from "./settings.ts"

type Env = HttpBindings | Http2Bindings
type Serve = (request: Request, env: Env) => Response | Promise<Response>

type Options = { faults: Faults; settings: SettingsStore; disk: Disk; plane: Plane }

/** Stands between the API's clients and the API. The project's own routes are never spoilt. */
export function withFaults(serve: Serve, { faults, settings, disk, plane }: Options): Serve {
  const history = createResponseHistory()
  const rateLimit = createRateLimit()

  async function remembering(request: Request, env: HttpBindings): Promise<Response> {
    const answer = await serve(request, env)
    if (!faults.concerns("api", "stale")) {
      history.clear()
      return answer
    }
    if (request.method !== "GET") {
      if (answer.ok) history.wrote()
      return answer
    }
    if (!answer.ok || !isJson(answer)) return answer
    const text = await answer.text()
    history.read(keyOf(request), { status: answer.status, text })
    return new Response(text, answer)
  }

  async function spoilt(request: Request, env: HttpBindings): Promise<Response> {
    if (!faults.concerns("api")) return remembering(request, env)
    const asked = buffered(request)
    const { pathname: path } = new URL(request.url)
    const { method } = request
    const found = await faults.find(
      {
        surface: "api",
        method,
        path,
        host: request.headers.get("host") ?? "",
        client: request.headers.get("user-agent") ?? "",
        text: asked.text,
      },
      ({ type }) =>
        (type !== "stale" || (method === "GET" && history.earlier(keyOf(request)) !== undefined)) &&
        (type !== "partial" || hasPart({ method, path })),
    )
    const pass = () => remembering(asked.request(), env)
    return found === undefined ? pass() : act(found.action, { asked, env, pass })
  }

  async function act(action: Action, { asked, env, pass }: Meeting): Promise<Response> {
    const { type } = action
    if ("applied" in action && action.applied) await drained(await pass())
    if (type === "status") return errorAnswer(action)
    if (type === "hang") return new Promise<Response>(() => {})
    if (type === "reset") {
      env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    }
    if (type === "truncate") return cutOff(await pass(), env)
    if (type === "malformed") return malformed(await pass())
    if (type === "stale") return earlierAnswer(history.earlier(keyOf(asked.request())))
    if (type === "partial") {
      await drained(await remembering(await part(asked, action.keep), env))
      return Response.json(failure(unknownFailure()), { status: 500 })
    }
    if (type === "rate-limit") {
      const state = { left: 0, seconds: action.retryAfter }
      return tooMany(action.retryAfter, rateHeaders(standard, state))
    }
    if (type === "disk-full") return disk.whileFull(pass)
    if (type === "delay") await sleep(action.ms)
    if (type === "kill") await kill(plane, action)
    return pass()
  }

  return async (request, env) => {
    const own = new URL(request.url).pathname.startsWith("/local/")
    if (own || !isHttp1(env)) return serve(request, env)
    const { rateLimit: quota } = settings.read()
    if (quota === null) return spoilt(request, env)
    const { headers, wait } = rateLimit.take(request.headers.get("authorization") ?? "", quota)
    if (wait !== undefined) return tooMany(wait, headers)
    const answer = await spoilt(request, env)
    if (answer === RESPONSE_ALREADY_SENT) return answer
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    return answer
  }
}

type Meeting = {
  asked: ReturnType<typeof buffered>
  env: HttpBindings
  pass: () => Promise<Response>
}

const standard = { requests: 1200, seconds: 300 }

/** The API is served over nothing else. */
function isHttp1(env: Env): env is HttpBindings {
  return env.outgoing instanceof ServerResponse
}

/** A request whose body can be looked at before it is passed on. */
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

async function part(
  { request, text }: ReturnType<typeof buffered>,
  keep: number,
): Promise<Request> {
  const body = await text()
  const { url, method, headers } = request()
  const { pathname: path } = new URL(url)
  const done = partOf({ method, path, body }, keep) ?? { method, path, body }
  const changed = new Headers(headers)
  changed.set("content-type", "application/json")
  changed.delete("content-length")
  return new Request(new URL(done.path, url), {
    method: done.method,
    headers: changed,
    body: done.body,
  })
}

/** Announces all of an answer and sends half of it. */
async function cutOff(answer: Response, { incoming, outgoing }: HttpBindings): Promise<Response> {
  const content = Buffer.from(await answer.arrayBuffer())
  outgoing.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    "content-length": Math.max(1, content.length),
  })
  outgoing.flushHeaders()
  const half = content.subarray(0, Math.floor(content.length / 2))
  outgoing.write(half, () => incoming.socket.destroySoon())
  return RESPONSE_ALREADY_SENT
}

function errorAnswer({ status, body, code: number, message, headers }: ErrorAction): Response {
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

function tooMany(seconds: number, headers: Record<string, string>): Response {
  const message = "Please wait and consider throttling your request speed"
  return Response.json(failure(new ApiError(429, code.tooManyRequests, message)), {
    status: 429,
    headers: { ...headers, "retry-after": String(seconds) },
  })
}

function unknownFailure() {
  return new ApiError(500, code.unknown, "An unknown error has occurred.")
}

async function drained(answer: Response): Promise<void> {
  await answer.arrayBuffer()
}

/** The answer without its last two characters, and complete as far as HTTP can tell. */
async function malformed(answer: Response): Promise<Response> {
  const headers = new Headers(answer.headers)
  headers.delete("content-length")
  const text = await answer.text()
  return new Response(text.slice(0, -2), { status: answer.status, headers })
}

/** There is one: the rule would not have been found otherwise. */
function earlierAnswer({ status, text }: Answer = { status: 404, text: "" }): Response {
  return new Response(text, { status, headers: { "content-type": "application/json" } })
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.includes("json") ?? false
}

function keyOf({ url }: Request): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
