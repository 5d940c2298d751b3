import type { Context } from "hono"

import { fail } from "../http/failure.ts"
import type { Http } from "../http/hono-env.ts"
import type { Isolate } from "../services.ts"
import { pathOf } from "./paths.ts"

const prefix = "/api/auth"

/** Everything under /api/auth/ goes to the library, whose bare 404 is told apart into 404 and 405. */
export async function answerAuth(context: Context<Http>) {
  const known = pathOf(context.req.path.slice(prefix.length))
  if (known === undefined) return fail(context, "NOT_FOUND")
  const { path, methods } = known
  context.set("route", `${prefix}${path}`)
  if (!methods.some((method) => method === context.req.method)) {
    context.header("allow", methods.join(", "))
    return fail(context, "METHOD_NOT_ALLOWED")
  }
  const response = await answer(context.var.isolate, path, context.req.raw)
  const after = response.headers.get("retry-after")
  if (after === null) return response.status < 400 ? response : complete(response)
  // Of two errors the library answers the second's body with the first's status.
  context.header("retry-after", after)
  return fail(context, "TOO_MANY_REQUESTS")
}

/** A few of the library's refusals have a message and no code. */
async function complete(response: Response) {
  const body = await response.json<{ code?: string; message?: string }>()
  const { code = "BAD_REQUEST", message = "Bad request" } = body
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return Response.json({ code, message }, { status: response.status, headers })
}

/** Where a session is as it should be there is nothing for the library to do. */
async function answer({ auth, sessions }: Isolate, path: string, request: Request) {
  if (path !== "/get-session" || request.url.includes("?")) return auth.handler(request)
  const known = await sessions.read(request.headers)
  if (known === undefined || known === null || known.due) return auth.handler(request)
  const { session, user } = known
  return Response.json({ session, user })
}
