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
 * Answers 404 and 405, so that the library receives only offered paths. It runs before the media-type check, because
 * no body can make an unsupported method valid.
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
 * Rate-limits requests per client network and declared path, because each costs a password hash, an email, a provider
 * call or a query. Paths that read a session are limited per session.
 */
export async function limitCaller(context: Context<HonoEnv>, next: Next) {
  const path = context.get("route")?.slice(prefix.length) ?? ""
  const isWithin = await (pathHas(path, "frequent")
    ? admitsSession(context.get("services"), context.req.raw.headers)
    : admitsNetwork(context))
  return isWithin ? next() : refuseForNow(context)
}

/** Answers from the session reader if possible, and otherwise passes the request to the library. */
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
 * Responds with every invalid field, or returns undefined. It runs before an address is looked up, so that known
 * addresses get the same response, and before the library, which reports only the first field.
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

/** Adds error codes, devices or the current plan to the library's response. */
function complete(context: Context<HonoEnv>, route: string | undefined, response: Response) {
  const { webUrl } = context.get("services").configuration
  if (response.status >= 400) return withCode(response, webUrl)
  if (route === `${prefix}/list-sessions`) return withDevices(response)
  return route !== undefined && showsUser.has(route) ? withCurrentPlan(response) : response
}

/** Parses the invalid fields, which the library reports only in its message. */
function issuesIn(message: string) {
  return [...message.matchAll(/\[(?:body|query)\.([^\]]+)\] (.*?)(?=; \[|$)/g)].map(
    ([, path = "", text = ""]) => ({ path: path.split("."), message: text }),
  )
}

type Refusal = { code?: string; message?: string; data?: object }

/** Maps the library's error codes to the fields whose origin it checks before this service does. */
const pages: Record<string, string> = {
  INVALID_CALLBACK_URL: "callbackURL",
  INVALID_ERROR_CALLBACK_URL: "errorCallbackURL",
  INVALID_NEW_USER_CALLBACK_URL: "newUserCallbackURL",
  INVALID_REDIRECT_URL: "redirectTo",
}

/** Adds a missing code to the library's error, and reports fields in the format of typed operations. */
async function withCode(response: Response, webUrl: string) {
  const body = await response
    .json<Refusal>()
    // The library sends some errors without a body.
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

/** Routes whose response contains the user as stored. */
const showsUser = new Set([`${prefix}/get-session`, `${prefix}/change-password`])

const Planned = z.looseObject({ plan: z.enum(plans), planUntil: z.coerce.date().nullable() })

const Shown = z.looseObject({ user: Planned }).nullable()

/** Replaces the stored plan by the current one, because the stored plan may have ended. */
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

/** Returns undefined if the library must answer, for example to clear a cookie. */
async function answerKnown(context: Context<HonoEnv>, route: string | undefined) {
  const { auth, sessions } = context.get("services")
  const request = context.req.raw
  if (route === `${prefix}/list-sessions`) {
    const listed = await sessions.list(request.headers)
    return listed && Response.json(listed.map(withDevice))
  }
  if (route !== `${prefix}/get-session`) return undefined
  // The library handles a query, because it has options of its own.
  const current = request.url.includes("?") ? null : await sessions.read(request.headers)
  if (current === undefined || current === null) return undefined
  const { session, user, due } = current
  const renewed = due ? await unlessItFails(() => auth.handler(request)) : undefined
  // If the session cannot be extended now, the next request extends it.
  if (renewed === undefined) return Response.json({ session, user })
  return complete(context, route, renewed)
}
