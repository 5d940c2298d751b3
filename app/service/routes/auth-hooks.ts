import { createHash } from "node:crypto"

import { APIError, createAuthMiddleware } from "better-auth/api"
import * as z from "zod"

import type { BrowserMarks } from "../guard/browser-marks.ts"
import { checkNewPasswords } from "../guard/new-password.ts"
import { isWithinLimit, networksOf, retryAfter } from "../guard/rate-limit.ts"
import { admitsSmoke, isSmokeAddress } from "../guard/smoke.ts"
import { checkTurnstile } from "../guard/turnstile.ts"
import type { Configuration } from "../platform/configuration/configuration.ts"
import type { Env } from "../platform/configuration/env.ts"
import type { EndpointContext } from "../platform/cookie/host-cookie.ts"
import { createApiError } from "../platform/http/failure.ts"
import { createFieldsError, foreignPage } from "../platform/http/issue.ts"
import { addQuery, isTrustedRedirect } from "../platform/http/redirect.ts"
import { Email } from "../platform/mail/email-address.ts"
import { newPasswordsOf, pathHas, takesTurnstile } from "./endpoints.ts"

const pages = ["callbackURL", "errorCallbackURL", "newUserCallbackURL"]

const Fields = z.looseObject({}).catch({})

const EmailBody = z.object({ email: Email })

type Options = {
  configuration: Configuration
  limit: Env["LIMIT_EMAIL"]
  marks: BrowserMarks
}

export function createAuthHooks({ configuration, limit, marks }: Options) {
  return {
    before: createAuthMiddleware(async (context) => {
      const page = await sealedPage(context, configuration)
      if (page === undefined) checkRedirects(context, configuration)
      refuseSwitchedOff(context, configuration, page)
      if (page !== undefined) return { context: { query: { callbackURL: page } } }
      const isSignIn = context.path === "/sign-in/email"
      const { data } = EmailBody.safeParse(context.body)
      if ((isSignIn || pathHas(context.path, "letter")) && data !== undefined) {
        const { email } = data
        const headers = context.headers ?? new Headers()
        if (isSmokeAddress(email) && !isSignIn) {
          checkSmoke(context, email, configuration)
          return undefined
        }
        // Counts each path, and each known browser or network, separately. Strangers' requests then do not block the
        // owner.
        const mark = await marks.knownBrowser.read(context, email)
        const key = createHash("sha256")
          .update(`${context.path} ${email} ${mark?.id ?? networksOf(headers)?.site ?? ""}`)
          .digest("hex")
        if (!(await isWithinLimit(limit, key))) {
          throw createApiError("TOO_MANY_REQUESTS", { "retry-after": String(retryAfter) })
        }
      }
      await askOthers(context, configuration)
      return undefined
    }),
  }
}

type Given = { path: string; body?: unknown; query?: unknown }

/** The link in a reset email. Without a page the library would redirect to a path of the API. */
const resetLink = "/reset-password/:token"

/** Returns the page of a reset link, which is encrypted in the link. */
async function sealedPage({ path, query }: Given, { keys }: Configuration) {
  if (path !== resetLink) return undefined
  const { callbackURL } = Fields.parse(query)
  const opened = await keys.open("reset_page", String(callbackURL))
  return opened?.claims["page"]
}

/** Throws if a page in the query is not on a trusted origin. Pages in bodies are checked before. */
function checkRedirects({ path, query }: Given, { trustedOrigins, webUrl }: Configuration) {
  const fields = Fields.parse(query)
  const foreign = pages.filter((name) => {
    const url = fields[name] ?? ""
    const isNone = url === "" && !(path === resetLink && name === "callbackURL")
    return !isNone && !isTrustedRedirect(url, trustedOrigins)
  })
  if (foreign.length === 0) return
  const issues = foreign.map((name) => foreignPage(name, webUrl))
  throw new APIError("BAD_REQUEST", { ...createFieldsError(issues) })
}

/** Paths that a release calls to test sign-up and sign-in of its version. */
const trialPaths = new Set(["/sign-up/email", "/sign-in/email"])

/** Returns the error for a path that the environment has turned off, otherwise undefined. */
function switchedOff(
  path: string,
  { passwords, emailCode, signUp }: Configuration,
  isInvited: boolean,
) {
  if (!passwords && pathHas(path, "password")) return "PASSWORD_OFF"
  if (!emailCode && pathHas(path, "code")) return "EMAIL_CODE_OFF"
  if (path !== "/sign-up/email" || signUp === "open") return undefined
  if (signUp === "closed") return "SIGN_UP_CLOSED"
  return isInvited ? undefined : "INVITATION_REQUIRED"
}

/** Throws for a path that the environment does not offer. A link from an email redirects to its page instead. */
function refuseSwitchedOff(
  context: EndpointContext & Given,
  configuration: Configuration,
  sealed: unknown,
) {
  const isInvited = Fields.parse(context.body)["invitation"] !== undefined
  const code = switchedOff(context.path, configuration, isInvited)
  if (code === undefined) return
  const { data } = EmailBody.safeParse(context.body)
  // A smoke address can only have an account by its code.
  if (trialPaths.has(context.path) && isSmokeAddress(data?.email ?? "")) return
  const page = sealed ?? Fields.parse(context.query)["callbackURL"]
  const isLink = context.method === "GET" && typeof page === "string" && page !== ""
  if (isLink) throw context.redirect(addQuery(page, { error: code }))
  throw createApiError(code)
}

function checkSmoke(
  { headers }: Pick<EndpointContext, "headers">,
  email: string,
  { smokeKey: key }: Configuration,
) {
  const code = headers?.get("accounts-smoke-code") ?? ""
  if (key !== undefined && admitsSmoke({ email, code, key, now: new Date() })) return
  throw createApiError("RESERVED_ADDRESS")
}

/** Throws if Turnstile or the list of leaked passwords rejects the request, before an address is looked up. */
async function askOthers(fields: Given, { turnstile, leaks, trustedOrigins }: Configuration) {
  if (turnstile !== undefined && takesTurnstile(fields.path)) {
    await checkTurnstile(fields, turnstile, trustedOrigins)
  }
  if (leaks !== undefined) await checkNewPasswords(newPasswordsOf(fields.path), fields.body, leaks)
}
