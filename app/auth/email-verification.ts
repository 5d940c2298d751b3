import { APIError, createAuthEndpoint } from "better-auth/api"
import type { BetterAuthPlugin } from "better-auth/types"
import { and, eq } from "drizzle-orm"
import { errors, jwtVerify } from "jose"
import * as z from "zod"

import type { Database } from "../database.ts"
import { user } from "./auth.table.ts"

const Query = z.object({ token: z.string(), callbackURL: z.string().optional() })

const Claims = z.object({ email: z.string(), user: z.string() })

const messages = { TOKEN_EXPIRED: "Token expired", INVALID_TOKEN: "Invalid token" } as const

/**
 * Replaces the library's verification of an address, whose links verify whatever password the
 * address has by then. These name the account: a new sign-up makes another, and older links end.
 */
export function emailVerification(database: Database) {
  const verifyEmail = createAuthEndpoint(
    "/verify-email",
    { method: "GET", query: Query },
    async (context) => {
      const { token, callbackURL = "" } = context.query
      const claims = await readToken(token, context.context.secret)
      const code = typeof claims === "string" ? claims : await verify(database, claims)
      if (callbackURL === "") {
        if (code === null) return context.json({ status: true, user: null })
        throw new APIError("UNAUTHORIZED", { code, message: messages[code] })
      }
      if (code === null) throw context.redirect(callbackURL)
      const separator = callbackURL.includes("?") ? "&" : "?"
      throw context.redirect(`${callbackURL}${separator}error=${code}`)
    },
  )
  // The key must be the name of the library's endpoint, to replace it.
  return { id: "email-verification", endpoints: { verifyEmail } } satisfies BetterAuthPlugin
}

async function readToken(token: string, secret: string) {
  try {
    const key = new TextEncoder().encode(secret)
    const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] })
    return Claims.safeParse(payload).data ?? "INVALID_TOKEN"
  } catch (error) {
    return error instanceof errors.JWTExpired ? "TOKEN_EXPIRED" : "INVALID_TOKEN"
  }
}

/** Null if the account has, or already had, a verified address. */
async function verify(database: Database, claims: z.infer<typeof Claims>) {
  const named = and(eq(user.id, claims.user), eq(user.email, claims.email))
  const [, [found]] = await database.batch([
    database
      .update(user)
      .set({ emailVerified: true, unprovenSince: null, updatedAt: new Date() })
      .where(and(named, eq(user.emailVerified, false))),
    database.select({ id: user.id }).from(user).where(named),
  ])
  return found === undefined ? "INVALID_TOKEN" : null
}
