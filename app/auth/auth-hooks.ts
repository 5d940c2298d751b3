import { createHash } from "node:crypto"

import { APIError, createAuthMiddleware } from "better-auth/api"
import { deleteSessionCookie } from "better-auth/cookies"
import { eq, sql } from "drizzle-orm"
import * as z from "zod"

import type { Configuration } from "../configuration.ts"
import type { Database } from "../database.ts"
import type { Env } from "../env.ts"
import { isWithin, retryAfter } from "../rate-limit.ts"
import { session, user } from "./auth.table.ts"
import { admitsSmoke, isSmokeAddress } from "./smoke.ts"

const mostFailures = 10
const window = 15 * 60 * 1000

/** Where an address is tried, or written to. */
const limited = new Set([
  "/sign-in/email",
  "/sign-up/email",
  "/request-password-reset",
  "/send-verification-email",
])

const Addressed = z.object({ email: z.string() })

const Failing = z.object({
  signInFailures: z.number(),
  signInFailuresSince: z.date().nullish(),
})

type Options = {
  configuration: Configuration
  database: Database
  limit: Env["LIMIT_EMAIL"]
}

function tooMany() {
  return new APIError(
    "TOO_MANY_REQUESTS",
    { code: "TOO_MANY_REQUESTS", message: "Too many attempts, try again later" },
    { "retry-after": String(retryAfter) },
  )
}

/** What stands before and after the library's own endpoints, as its hooks. */
export function createGuard({ configuration, database, limit }: Options) {
  return {
    before: createAuthMiddleware(async (context) => {
      if (!limited.has(context.path)) return
      const parsed = Addressed.safeParse(context.body)
      if (!parsed.success) return
      const email = parsed.data.email.toLowerCase()
      // As mail servers have it, whatever a pattern says.
      if (email.indexOf("@") > 64) {
        throw new APIError("BAD_REQUEST", {
          code: "VALIDATION_ERROR",
          message: "E-mail address must have 64 characters or fewer before its @",
        })
      }
      if (isSmokeAddress(email)) {
        const code = context.headers?.get("accounts-smoke-code") ?? ""
        const key = configuration.smokeKey
        const admitted = key !== undefined && admitsSmoke({ email, code, key, now: new Date() })
        if (context.path === "/sign-in/email" || admitted) return
        throw new APIError("FORBIDDEN", {
          code: "RESERVED_ADDRESS",
          message: "This address is reserved",
        })
      }
      if (!(await isWithin(limit, createHash("sha256").update(email).digest("hex")))) {
        throw tooMany()
      }
    }),

    /**
     * Bounds guessing at one account from everywhere: after ten wrong passwords in a quarter of an
     * hour, right ones are refused too and nobody learns which it was. Nothing is asked for it: the
     * count is read with the user, and written only after a failure.
     */
    after: createAuthMiddleware(async (context) => {
      if (context.path !== "/sign-in/email") return
      const now = Date.now()
      const { newSession, returned } = context.context
      if (newSession !== null && newSession !== undefined) {
        const { signInFailures: failures, signInFailuresSince: since } = Failing.parse(
          newSession.user,
        )
        if (failures === 0) return
        const blocked = failures >= mostFailures && (since?.getTime() ?? 0) > now - window
        if (!blocked) {
          await forget(database, newSession.user.id)
          return
        }
        await database.delete(session).where(eq(session.id, newSession.session.id))
        deleteSessionCookie(context)
        throw tooMany()
      }
      const parsed = Addressed.safeParse(context.body)
      if (!parsed.success || !isRefusal(returned)) return
      const failures = await countFailure(database, parsed.data.email.toLowerCase(), now)
      if (failures > mostFailures) throw tooMany()
    }),
  }
}

function isRefusal(returned: unknown) {
  return returned instanceof APIError && returned.body?.code === "INVALID_EMAIL_OR_PASSWORD"
}

async function countFailure(database: Database, email: string, now: number) {
  const recent = sql`coalesce(${user.signInFailuresSince}, 0) > ${now - window}`
  const [row] = await database
    .update(user)
    .set({
      signInFailures: sql`case when ${recent} then ${user.signInFailures} + 1 else 1 end`,
      signInFailuresSince: sql`case when ${recent} then ${user.signInFailuresSince} else ${now} end`,
    })
    .where(eq(user.email, email))
    .returning({ failures: user.signInFailures })
  return row?.failures ?? 0
}

/** An account's failures. */
export function forget(database: Database, userId: string) {
  return database
    .update(user)
    .set({ signInFailures: 0, signInFailuresSince: null })
    .where(eq(user.id, userId))
}
