import type { Context } from "hono"

import { fail } from "../http/failure.ts"
import type { HonoEnv } from "../http/hono-env.ts"
import type { Services } from "../services.ts"
import { pathOf } from "./paths.ts"

const prefix = "/api/auth"

/** Passes the offered paths to the authentication library; answers 404 and 405 itself. */
export async function answerAuth(context: Context<HonoEnv>) {
  // As the library reads it: Hono's own path is decoded.
  const { pathname } = new URL(context.req.url)
  const known = pathname.startsWith(prefix) ? pathOf(pathname.slice(prefix.length)) : undefined
  if (known === undefined) return fail(context, "NOT_FOUND")
  const { path, methods } = known
  context.set("route", `${prefix}${path}`)
  if (!methods.some((method) => method === context.req.method)) {
    context.header("allow", methods.join(", "))
    return fail(context, "METHOD_NOT_ALLOWED")
  }
  const response = await answer(context.var.services, path, context.req.raw)
  return response.status < 400 ? response : withCode(response)
}

/** Adds a code where the library's error has only a message. */
async function withCode(response: Response) {
  const body = await response.json<{ code?: string; message?: string }>()
  const { code = "BAD_REQUEST", message = "Bad request" } = body
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return Response.json({ code, message }, { status: response.status, headers })
}

/** Answers get-session from the session reader, unless the library must renew or clear a cookie. */
async function answer({ auth, sessions }: Services, path: string, request: Request) {
  if (path !== "/get-session" || request.url.includes("?")) return auth.handler(request)
  const known = await sessions.read(request.headers)
  if (known === undefined || known === null || known.due) return auth.handler(request)
  const { session, user } = known
  return Response.json({ session, user })
}
