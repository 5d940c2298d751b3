import { createHash } from "node:crypto"

import { APIError, createAuthMiddleware } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { eq } from "drizzle-orm"
import * as z from "zod"

import type { Configuration } from "../configuration.ts"
import type { Database } from "../database.ts"
import type { Env } from "../env.ts"
import { isTrustedRedirect } from "../http/redirect.ts"
import { isWithinLimit, retryAfter } from "../rate-limit.ts"
import { createApiError } from "./api-error.ts"
import { session } from "./auth.table.ts"
import { hasLongLocalPart, localPartTooLong } from "./email-address.ts"
import { countFailure, readCounter, resetFailures } from "./sign-in-failures.ts"
import { admitsSmoke, isSmokeAddress } from "./smoke.ts"

/** Paths that try a password or send an e-mail, and so are rate-limited per e-mail address. */
const limitedPaths = new Set([
  "/sign-in/email",
  "/sign-up/email",
  "/request-password-reset",
  "/send-verification-email",
])

const redirectCodes = {
  callbackURL: "INVALID_CALLBACK_URL",
  errorCallbackURL: "INVALID_CALLBACK_URL",
  newUserCallbackURL: "INVALID_CALLBACK_URL",
  redirectTo: "INVALID_REDIRECT_URL",
} as const

const Fields = z.looseObject({}).catch({})

const EmailBody = z.object({ email: z.string() })

type Options = {
  configuration: Configuration
  database: Database
  limit: Env["LIMIT_EMAIL"]
}

function tooManyRequests() {
  return createApiError("TOO_MANY_REQUESTS", { "retry-after": String(retryAfter) })
}

/** The authentication library runs these before and after each of its endpoints. */
export function createAuthHooks({ configuration, database, limit }: Options) {
  return {
    before: createAuthMiddleware(async (context) => {
      checkRedirects(context, configuration.trustedOrigins)
      if (!limitedPaths.has(context.path)) return
      const parsed = EmailBody.safeParse(context.body)
      if (!parsed.success) return
      const email = parsed.data.email.toLowerCase()
      if (hasLongLocalPart(email)) {
        throw new APIError("BAD_REQUEST", { code: "VALIDATION_ERROR", message: localPartTooLong })
      }
      if (isSmokeAddress(email)) {
        const code = context.headers?.get("accounts-smoke-code") ?? ""
        const key = configuration.smokeKey
        const admitted = key !== undefined && admitsSmoke({ email, code, key, now: new Date() })
        if (context.path === "/sign-in/email" || admitted) return
        throw createApiError("RESERVED_ADDRESS")
      }
      const key = createHash("sha256").update(email).digest("hex")
      if (!(await isWithinLimit(limit, key))) throw tooManyRequests()
    }),

    /**
     * Stops password guessing from many client addresses: after ten wrong passwords within 15
     * minutes the correct one is rejected too, with the same response. The counter is written only
     * after a failure.
     */
    after: createAuthMiddleware(async (context) => {
      if (context.path !== "/sign-in/email") return
      const { newSession, returned } = context.context
      if (newSession !== null && newSession !== undefined) {
        const { failures, isBlocked } = readCounter(newSession.user)
        if (failures === 0) return
        if (!isBlocked) {
          await resetFailures(database, newSession.user.id)
          return
        }
        await database.delete(session).where(eq(session.id, newSession.session.id))
        deleteSessionCookie(context)
        throw tooManyRequests()
      }
      const parsed = EmailBody.safeParse(context.body)
      if (!parsed.success || !isWrongPassword(returned)) return
      const isBlocked = await countFailure(database, parsed.data.email.toLowerCase())
      if (isBlocked) throw tooManyRequests()
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

function isWrongPassword(returned: unknown) {
  return returned instanceof APIError && returned.body?.code === "INVALID_EMAIL_OR_PASSWORD"
}
