import type { Context, Next } from "hono"
import * as z from "zod"

import { refuseMethod } from "../http/allowed-methods.ts"
import { fail } from "../http/failure.ts"
import type { HonoEnv } from "../http/hono-env.ts"
import { plans, withPlanOf } from "../plan/plan.ts"
import type { Services } from "../services.ts"
import { pathOf } from "./paths.ts"

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
  const services = context.get("services")
  const known = await answerKnown(services, route, context.req.raw)
  if (known !== undefined) return known
  const response = await services.auth.handler(context.req.raw)
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

const Shown = z
  .looseObject({
    user: z.looseObject({ plan: z.enum(plans), planUntil: z.coerce.date().nullable() }),
  })
  .nullable()

/** The stored plan may have ended. */
async function withCurrentPlan(response: Response) {
  const text = await response.text()
  const { data } = Shown.safeParse(JSON.parse(text))
  const body = data ? JSON.stringify({ ...data, user: withPlanOf(data.user) }) : text
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return new Response(body, { status: response.status, headers })
}

/** Undefined if the library must answer, as where it has to renew or clear a cookie. */
async function answerKnown({ sessions }: Services, route: string | undefined, request: Request) {
  if (route === `${prefix}/list-sessions`) {
    const listed = await sessions.list(request.headers)
    return listed && Response.json(listed)
  }
  if (route !== `${prefix}/get-session` || request.url.includes("?")) return undefined
  const known = await sessions.read(request.headers)
  if (known === undefined || known === null || known.due) return undefined
  const { session, user } = known
  return Response.json({ session, user })
}
