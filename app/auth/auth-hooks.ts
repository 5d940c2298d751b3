import { createHash } from "node:crypto"

import { APIError, createAuthMiddleware } from "better-auth/api"
import * as z from "zod"

import type { Configuration } from "../configuration.ts"
import type { Env } from "../env.ts"
import { isTrustedRedirect } from "../http/redirect.ts"
import { isWithinLimit, retryAfter } from "../rate-limit.ts"
import { createApiError } from "./api-error.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import { readKnownBrowser } from "./cookie/known-browser.ts"
import { hasLongLocalPart, localPartTooLong } from "./email-address.ts"
import { checkNewUser } from "./sign-up/new-user.ts"
import { admitsSmoke, isSmokeAddress } from "./smoke.ts"

const redirectCodes = {
  callbackURL: "INVALID_CALLBACK_URL",
  errorCallbackURL: "INVALID_CALLBACK_URL",
  newUserCallbackURL: "INVALID_CALLBACK_URL",
  redirectTo: "INVALID_REDIRECT_URL",
} as const

/** Limited per e-mail address. They are counted apart: an e-mail asked for must not block a sign-in. */
const limitedPaths = new Map([
  ["/sign-in/email", "sign-in"],
  ["/sign-up/email", "email"],
  ["/request-password-reset", "email"],
  ["/send-verification-email", "email"],
])

const Fields = z.looseObject({}).catch({})

const EmailBody = z.object({ email: z.string() })

const SignUpBody = z.object({ email: z.email(), name: z.string(), image: z.string().optional() })

type Options = {
  configuration: Configuration
  limit: Env["LIMIT_EMAIL"]
}

/** The authentication library runs this before each of its endpoints. */
export function createAuthHooks({ configuration, limit }: Options) {
  return {
    before: createAuthMiddleware(async (context) => {
      checkRedirects(context, configuration.trustedOrigins)
      const kind = limitedPaths.get(context.path)
      const parsed = EmailBody.safeParse(context.body)
      if (kind === undefined || !parsed.success) return
      const email = parsed.data.email.toLowerCase()
      if (hasLongLocalPart(email)) {
        throw new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message: localPartTooLong })
      }
      if (context.path === "/sign-up/email") checkSignUp(context.body)
      if (isSmokeAddress(email)) {
        if (context.path !== "/sign-in/email") checkSmoke(context, email, configuration)
        return
      }
      const browser = kind === "sign-in" ? await readKnownBrowser(context, email) : undefined
      const key = createHash("sha256")
        .update(`${kind} ${email} ${browser ?? ""}`)
        .digest("hex")
      if (!(await isWithinLimit(limit, key))) {
        throw createApiError("TOO_MANY_REQUESTS", { "retry-after": String(retryAfter) })
      }
    }),
  }
}

/** Throws for a page that a link or redirect of this request would lead to on an untrusted origin. */
function checkRedirects(
  { body, query }: { body?: unknown; query?: unknown },
  trustedOrigins: string[],
) {
  const given = Object.entries({ ...Fields.parse(query), ...Fields.parse(body) })
  for (const [name, code] of Object.entries(redirectCodes)) {
    const url = given.find(([field]) => field === name)?.[1] ?? ""
    if (url !== "" && !isTrustedRedirect(url, trustedOrigins)) throw createApiError(code)
  }
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
