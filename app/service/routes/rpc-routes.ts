import {
  type AnyProcedure,
  createProcedureClient,
  onError,
  ORPCError,
  ValidationError,
} from "@orpc/server"
import type { Context } from "hono"

import { retryAfter } from "../guard/rate-limit.ts"
import { fail, failures, retryUnavailable } from "../platform/http/failure.ts"
import { createFieldsError, describeIssues } from "../platform/http/issue.ts"
import { describeError, log } from "../platform/http/log.ts"
import { type HonoEnv, refuseMethod } from "../platform/http/routing.ts"
import type { RpcContext } from "../session/procedures.ts"

const prefix = "/api/v1"

/** Returns the method and the handler of each path below the prefix. */
function callsOf(procedures: Record<string, AnyProcedure>) {
  return new Map(
    Object.entries(procedures).map(([name, procedure]) => {
      const { method = "POST" } = procedure["~orpc"].route
      const call = createProcedureClient(procedure, {
        path: [name],
        context: (rpcContext: RpcContext) => rpcContext,
        interceptors: [onError(explainInput)],
      })
      return [`/${name}`, { method, call }]
    }),
  )
}

/** Returns a handler that calls the router's procedures by path. */
export function answerRpc(router: Record<string, AnyProcedure>) {
  const calls = callsOf(router)
  return (context: Context<HonoEnv>) => answer(calls, context)
}

/** Calls the procedure of the path. oRPC's own request handler takes as long as all of its procedures. */
async function answer(calls: ReturnType<typeof callsOf>, context: Context<HonoEnv>) {
  // Hono's own path is decoded, which would give each procedure a second name.
  const { pathname, searchParams } = new URL(context.req.url)
  const rpcCall = calls.get(pathname.slice(prefix.length))
  if (rpcCall === undefined) return fail(context, "NOT_FOUND")
  context.set("route", context.req.path)
  const { method, call } = rpcCall
  if (method !== context.req.method) return refuseMethod(context, [method])
  const { raw } = context.req
  const ownContext = {
    services: context.get("services"),
    headers: raw.headers,
  }
  try {
    const input = method === "GET" ? queryOf(searchParams) : parseBody(await raw.text())
    return Response.json(await call(input, { context: ownContext }))
  } catch (error) {
    // A response that violates its own schema is also an internal error.
    const isTold = error instanceof ORPCError && error.code !== "INTERNAL_SERVER_ERROR"
    if (isTold) return answerError(error)
    log("error", "rpc.failed", describeError(error))
    const { message } = failures.INTERNAL_SERVER_ERROR
    return answerError(new ORPCError("INTERNAL_SERVER_ERROR", { message }))
  }
}

function answerError(error: ORPCError<string, unknown>) {
  const seconds = { 429: retryAfter, 503: retryUnavailable }[error.status]
  const headers = seconds === undefined ? {} : { "retry-after": String(seconds) }
  return Response.json(error.toJSON(), { status: error.status, headers })
}

/** Converts a query to an object. A repeated parameter becomes a list, which no procedure accepts. */
function queryOf(parameters: URLSearchParams) {
  if (parameters.size === 0) return {}
  const byName = Map.groupBy(parameters, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, entries]) => {
      const [value, ...repeated] = entries.map(([, text]) => text)
      return [name, repeated.length === 0 ? value : [value, ...repeated]]
    }),
  )
}

function parseBody(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text)
  } catch (cause) {
    throw new ORPCError("BAD_REQUEST", { message: "The request body is not JSON", cause })
  }
}

/** Throws an error that lists the invalid fields in `data.issues`. */
function explainInput(error: unknown): void {
  if (!(error instanceof ORPCError) || !(error.cause instanceof ValidationError)) return
  if (error.code !== "BAD_REQUEST") return
  const { code, ...refusal } = createFieldsError(describeIssues(error.cause.issues))
  throw new ORPCError(code, { defined: true, ...refusal })
}
