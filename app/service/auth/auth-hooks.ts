import { createHash } from "node:crypto"

import { APIError, createAuthMiddleware } from "better-auth/api"
import * as z from "zod"

import type { Configuration } from "../configuration/configuration.ts"
import type { Env } from "../configuration/env.ts"
import { isWithinLimit, retryAfter } from "../http/rate-limit.ts"
import { addQuery, isTrustedRedirect } from "../http/redirect.ts"
import { createApiError } from "./api-error.ts"
import type { BrowserMarks } from "./cookie/browser-marks.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import { hasLongLocalPart, localPartTooLong } from "./email-address.ts"
import { switchedOff } from "./paths.ts"
import { checkNewUser } from "./sign-up/new-user.ts"
import { admitsSmoke, isSmokeAddress } from "./smoke.ts"

const redirectCodes = {
  callbackURL: "INVALID_CALLBACK_URL",
  errorCallbackURL: "INVALID_CALLBACK_URL",
  newUserCallbackURL: "INVALID_CALLBACK_URL",
  redirectTo: "INVALID_REDIRECT_URL",
} as const

/** Their link leads to pages that are configured: whoever asks for a letter need not own the address. */
const letterPaths = new Set([
  "/sign-up/email",
  "/request-password-reset",
  "/send-verification-email",
])

const Fields = z.looseObject({}).catch({})

const EmailBody = z.object({ email: z.string() })

const SignUpBody = z.object({ email: z.email(), name: z.string(), image: z.string().optional() })

type Options = {
  configuration: Configuration
  limit: Env["LIMIT_EMAIL"]
  marks: BrowserMarks
}

/** The authentication library runs this before each of its endpoints. */
export function createAuthHooks({ configuration, limit, marks }: Options) {
  return {
    before: createAuthMiddleware(async (context) => {
      const page = await sealedPage(context, configuration)
      if (page === undefined) checkRedirects(context, configuration)
      refuseSwitchedOff(context, configuration, page)
      if (page !== undefined) return { context: { query: { callbackURL: page } } }
      const isSignIn = context.path === "/sign-in/email"
      const parsed = EmailBody.safeParse(context.body)
      if (!(isSignIn || letterPaths.has(context.path)) || !parsed.success) return undefined
      const email = parsed.data.email.toLowerCase()
      if (hasLongLocalPart(email)) {
        throw new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message: localPartTooLong })
      }
      if (context.path === "/sign-up/email") checkSignUp(context.body)
      if (isSmokeAddress(email) && !isSignIn) {
        checkSmoke(context, email, configuration)
        return undefined
      }
      // Each path and known browser by itself: nobody's requests block somebody else's, or a sign-in.
      const known = await marks.knownBrowser.read(context, email)
      const key = createHash("sha256")
        .update(`${context.path} ${email} ${known?.id ?? ""}`)
        .digest("hex")
      if (await isWithinLimit(limit, key)) return undefined
      throw createApiError("TOO_MANY_REQUESTS", { "retry-after": String(retryAfter) })
    }),
  }
}

type Given = { path: string; body?: unknown; query?: unknown }

/** The page of a reset's link, which the letter has sealed. */
async function sealedPage({ path, query }: Given, { keys }: Configuration) {
  if (path !== "/reset-password/:token") return undefined
  const { callbackURL } = Fields.parse(query)
  const opened = await keys.open("reset_page", String(callbackURL))
  return opened?.claims["page"]
}

/** Throws for a page that a link or redirect of this request would lead to on an untrusted origin. */
function checkRedirects({ path, body, query }: Given, configuration: Configuration) {
  const { trustedOrigins, letterPages } = configuration
  const mayLead = letterPaths.has(path)
    ? (url: unknown) => letterPages.some((page) => page === url)
    : (url: unknown) => isTrustedRedirect(url, trustedOrigins)
  const given = Object.entries({ ...Fields.parse(query), ...Fields.parse(body) })
  for (const [name, code] of Object.entries(redirectCodes)) {
    const url = given.find(([field]) => field === name)?.[1] ?? ""
    if (url !== "" && !mayLead(url)) throw createApiError(code)
  }
}

/** Whose release proves with them that its version signs people up and in. */
const trialPaths = new Set(["/sign-up/email", "/sign-in/email"])

/** Throws for a path that the environment does not offer; a link from a letter goes on to its page. */
function refuseSwitchedOff(
  context: EndpointContext & Given,
  configuration: Configuration,
  sealed: unknown,
) {
  const isInvited = Fields.parse(context.body)["invitation"] !== undefined
  const code = switchedOff(context.path, configuration, isInvited)
  if (code === undefined) return
  const { data } = EmailBody.safeParse(context.body)
  // A smoke address has an account only by its code.
  if (trialPaths.has(context.path) && isSmokeAddress(data?.email.toLowerCase() ?? "")) return
  const page = sealed ?? Fields.parse(context.query)["callbackURL"]
  const isLink = context.method === "GET" && typeof page === "string" && page !== ""
  if (isLink) throw context.redirect(addQuery(page, { error: code }))
  throw createApiError(code)
}

/** Before the address is looked up: a known one must not be answered differently. */
function checkSignUp(body: unknown) {
  const { data } = SignUpBody.safeParse(body)
  // The endpoint rejects a body of another shape.
  if (data !== undefined) checkNewUser(data)
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
