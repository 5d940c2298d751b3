import type { Context, Next } from "hono"
import * as z from "zod"

import { withPlanOf } from "../../plan/plan.ts"
import { unlessItFails } from "../database/bounded-database.ts"
import { refuseMethod } from "../http/allowed-methods.ts"
import { fail } from "../http/failure.ts"
import type { HonoEnv } from "../http/hono-env.ts"
import { findSession, seenIn } from "./known-session.ts"
import { pathOf } from "./paths.ts"
import { ShownUser } from "./session-snapshot.ts"

const prefix = "/api/auth"

/**
 * Answers 404 and 405 itself, so that the library sees only what is offered. Stands before the check
 * of the media type: no body makes a method fit that the path does not have.
 */
export async function offerPath(context: Context<HonoEnv>, next: Next) {
  // As the library reads it: Hono's own path is decoded.
  const { pathname } = new URL(context.req.url)
  const known = pathname.startsWith(prefix) ? pathOf(pathname.slice(prefix.length)) : undefined
  if (known === undefined) return fail(context, "NOT_FOUND")
  const { path, methods } = known
  context.set("route", `${prefix}${path}`)
  if (methods.some((method) => method === context.req.method)) return next()
  return refuseMethod(context, [...methods])
}

/** Answers from the session reader what it can, and passes the rest of the offered paths to the library. */
export async function answerAuth(context: Context<HonoEnv>) {
  const route = context.get("route")
  const known = await answerKnown(context, route)
  if (known !== undefined) return known
  return complete(route, await context.get("services").auth.handler(context.req.raw))
}

/** Adds what the library's answer lacks. */
function complete(route: string | undefined, response: Response) {
  if (response.status >= 400) return withCode(response)
  return route !== undefined && showsUser.has(route) ? withCurrentPlan(response) : response
}

const fields: Record<string, string> = {
  INVALID_NAME: "name",
  INVALID_EMAIL: "email",
  INVALID_IMAGE: "image",
  INVALID_REDIRECT_URL: "redirectTo",
}

/** Names the invalid fields as typed operations do; the library has them in its text alone. */
function issuesOf(code: string, message: string) {
  const field = fields[code]
  if (field !== undefined) return [{ path: [field], message }]
  if (code !== "VALIDATION_ERROR") return []
  return [...message.matchAll(/\[(?:body|query)\.([^\]]+)\] (.*?)(?=; \[|$)/g)].map(
    ([, path = "", text = ""]) => ({ path: path.split("."), message: text }),
  )
}

/** Adds a code where the library's error has only a message. */
async function withCode(response: Response) {
  const body = await response
    .json<{ code?: string; message?: string }>()
    // The library answers some errors without a body.
    .catch((): { code?: string; message?: string } => ({}))
  const { code = "BAD_REQUEST", message = "Bad request" } = body
  const issues = issuesOf(code, message)
  const data = issues.length > 0 ? { data: { issues } } : {}
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return Response.json({ code, message, ...data }, { status: response.status, headers })
}

/** Routes whose answer has a user as the library read it. */
const showsUser = new Set([`${prefix}/get-session`, `${prefix}/change-password`])

const Shown = z.looseObject({ user: ShownUser }).nullable()

/** The stored plan may have ended. */
async function withCurrentPlan(response: Response) {
  const text = await response.text()
  const { data } = Shown.safeParse(JSON.parse(text))
  const body = data ? JSON.stringify({ ...data, user: withPlanOf(data.user) }) : text
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return new Response(body, { status: response.status, headers })
}

/** Undefined if the library must answer, as where it has to clear a cookie. */
async function answerKnown(context: Context<HonoEnv>, route: string | undefined) {
  const { auth, sessions } = context.get("services")
  const request = context.req.raw
  if (route === `${prefix}/list-sessions`) {
    const listed = await sessions.list(request.headers)
    return listed && Response.json(listed)
  }
  if (route !== `${prefix}/get-session`) return undefined
  // Who asks with a query, such as `disableCookieCache=true`, asks the database.
  const known = request.url.includes("?") ? null : await findSession(context)
  if (known === undefined || known === null) {
    context.set("seen", null)
    return undefined
  }
  const { session, user, due } = known
  const at = Date.now()
  const renewed = due ? await unlessItFails(() => auth.handler(request)) : undefined
  // One that cannot be renewed now is by the next request.
  if (renewed === undefined) return Response.json({ session, user })
  context.set("seen", await seenIn(renewed, at))
  return complete(route, renewed)
}
