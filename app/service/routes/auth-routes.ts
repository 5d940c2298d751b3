import type { Context, Next } from "hono"
import * as z from "zod"

import { admitsNetwork, admitsSession, refuseForNow } from "../guard/caller-limit.ts"
import { plans } from "../platform/database/auth.table.ts"
import { unlessItFails } from "../platform/database/bounded-database.ts"
import { deviceOf } from "../platform/http/device.ts"
import { fail, failures } from "../platform/http/failure.ts"
import {
  createFieldsError,
  describeIssues,
  foreignPage,
  pageOfNoLetter,
} from "../platform/http/issue.ts"
import { isTrustedRedirect } from "../platform/http/redirect.ts"
import { type HonoEnv, refuseMethod } from "../platform/http/routing.ts"
import { missingFactor } from "../session/assurance/assurance.ts"
import { withPlanOf } from "../session/profile.ts"
import { bodyOf, pathHas, pathOf } from "./endpoints.ts"

const prefix = "/api/auth"

/**
 * Answers 404 and 405 itself, so that the library sees only what is offered. Stands before the check
 * of the media type: no body makes a method fit that the path does not have.
 */
export async function offerPath(context: Context<HonoEnv>, next: Next) {
  // The library reads the encoded path; Hono's own path is decoded.
  const { pathname } = new URL(context.req.url)
  const offered = pathname.startsWith(prefix) ? pathOf(pathname.slice(prefix.length)) : undefined
  if (offered === undefined) return fail(context, "NOT_FOUND")
  const { path, methods = ["POST"] } = offered
  context.set("route", `${prefix}${path}`)
  if (methods.some((method) => method === context.req.method)) return next()
  return refuseMethod(context, methods)
}

/**
 * Rate-limits requests per client network and declared path, since each costs a password hash, an e-mail,
 * a call of a provider or a question to the database; and what reads a session, per session.
 */
export async function limitCaller(context: Context<HonoEnv>, next: Next) {
  const path = context.get("route")?.slice(prefix.length) ?? ""
  const isWithin = await (pathHas(path, "frequent")
    ? admitsSession(context.get("services"), context.req.raw.headers)
    : admitsNetwork(context))
  return isWithin ? next() : refuseForNow(context)
}

/** Answers from the session reader what it can, and passes the rest of the offered paths to the library. */
export async function answerAuth(context: Context<HonoEnv>) {
  const route = context.get("route")
  const path = route?.slice(prefix.length) ?? ""
  const services = context.get("services")
  const token = services.sessions.tokenOf(context.req.raw.headers)
  const isFree = pathHas(path, "open") || pathHas(path, "step-up")
  const ways = isFree ? undefined : await missingFactor(services, { token, path })
  if (ways !== undefined) {
    const { status, message } = failures.SECOND_FACTOR_MISSING
    return context.json({ code: "SECOND_FACTOR_MISSING", message, data: { ways } }, status)
  }
  const refused = await refuseFields(context, path)
  if (refused !== undefined) return refused
  const response = await answerKnown(context, route)
  if (response !== undefined) return response
  return complete(context, route, await services.auth.handler(context.req.raw))
}

const redirects = ["callbackURL", "errorCallbackURL", "redirectTo"]

/**
 * Answers with every field that the path refuses, or with undefined: before an address is looked up, so that
 * a known one is not answered differently, and before the library, which stops at the first one.
 */
async function refuseFields(context: Context<HonoEnv>, path: string) {
  const schema = bodyOf(path)
  if (schema === undefined || context.req.method !== "POST") return undefined
  const { webUrl, trustedOrigins, letterPages } = context.get("services").configuration
  // The library rejects a body that is not JSON.
  const body = await context.req.raw
    .clone()
    .json<unknown>()
    .catch(() => undefined)
  if (body === undefined) return undefined
  const described = describeIssues(schema.safeParse(body).error?.issues ?? [])
  const sendsLetter = pathHas(path, "letter")
  const mayLead = sendsLetter
    ? (url: unknown) => letterPages.some((page) => page === url)
    : (url: unknown) => isTrustedRedirect(url, trustedOrigins)
  const foreign = redirects.filter((name) => {
    const url: unknown = Object(body)[name] ?? ""
    const isFound = described.some(({ path: [field] }) => field === name)
    return url !== "" && !isFound && !mayLead(url)
  })
  const describePage = sendsLetter ? pageOfNoLetter : foreignPage
  const issues = [...described, ...foreign.map((name) => describePage(name, webUrl))]
  return issues.length === 0 ? undefined : Response.json(createFieldsError(issues), { status: 400 })
}

/** Adds what the library's answer lacks. */
function complete(context: Context<HonoEnv>, route: string | undefined, response: Response) {
  const { webUrl } = context.get("services").configuration
  if (response.status >= 400) return withCode(response, webUrl)
  if (route === `${prefix}/list-sessions`) return withDevices(response)
  return route !== undefined && showsUser.has(route) ? withCurrentPlan(response) : response
}

/** Parses the fields of a query, which the library reports only in its text. */
function issuesIn(message: string) {
  return [...message.matchAll(/\[(?:body|query)\.([^\]]+)\] (.*?)(?=; \[|$)/g)].map(
    ([, path = "", text = ""]) => ({ path: path.split("."), message: text }),
  )
}

type Refusal = { code?: string; message?: string; data?: object }

/** Pages whose origin the library checks before this service does. */
const pages: Record<string, string> = {
  INVALID_CALLBACK_URL: "callbackURL",
  INVALID_ERROR_CALLBACK_URL: "errorCallbackURL",
  INVALID_NEW_USER_CALLBACK_URL: "newUserCallbackURL",
  INVALID_REDIRECT_URL: "redirectTo",
}

/** Adds a code where the library's error has only a message, and tells fields as typed operations do. */
async function withCode(response: Response, webUrl: string) {
  const body = await response
    .json<Refusal>()
    // The library answers some errors without a body.
    .catch((): Refusal => ({}))
  const { code = "BAD_REQUEST", message = "Bad request", data } = body
  const page = pages[code]
  const issues = page === undefined ? issuesIn(message) : [foreignPage(page, webUrl)]
  const isOfFields = page !== undefined || code === "VALIDATION_ERROR"
  const failure = isOfFields ? createFieldsError(issues) : { code, message, data }
  return answerAnew(response, failure, isOfFields ? 400 : response.status)
}

function answerAnew(response: Response, body: unknown, status = response.status) {
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return Response.json(body, { status, headers })
}

/** Routes whose answer has a user as the library read it. */
const showsUser = new Set([`${prefix}/get-session`, `${prefix}/change-password`])

const Planned = z.looseObject({ plan: z.enum(plans), planUntil: z.coerce.date().nullable() })

const Shown = z.looseObject({ user: Planned }).nullable()

/** The stored plan may have ended. */
async function withCurrentPlan(response: Response) {
  const body = await response.json()
  const { data } = Shown.safeParse(body)
  return answerAnew(response, data ? { ...data, user: withPlanOf(data.user) } : body)
}

function withDevice<Listed extends { userAgent?: string | null | undefined }>(listed: Listed) {
  return { ...listed, device: deviceOf(listed.userAgent) }
}

const Listed = z.array(z.looseObject({ userAgent: z.string().nullish() }))

async function withDevices(response: Response) {
  return answerAnew(response, Listed.parse(await response.json()).map(withDevice))
}

/** Undefined if the library must answer, as where it has to clear a cookie. */
async function answerKnown(context: Context<HonoEnv>, route: string | undefined) {
  const { auth, sessions } = context.get("services")
  const request = context.req.raw
  if (route === `${prefix}/list-sessions`) {
    const listed = await sessions.list(request.headers)
    return listed && Response.json(listed.map(withDevice))
  }
  if (route !== `${prefix}/get-session`) return undefined
  // A query is for the library, which has options of its own.
  const current = request.url.includes("?") ? null : await sessions.read(request.headers)
  if (current === undefined || current === null) return undefined
  const { session, user, due } = current
  const renewed = due ? await unlessItFails(() => auth.handler(request)) : undefined
  // A session that cannot be renewed now is renewed by the next request.
  if (renewed === undefined) return Response.json({ session, user })
  return complete(context, route, renewed)
}
