import { APIError, createAuthEndpoint } from "better-auth/api"
import type { BetterAuthPlugin } from "better-auth/types"
import { and, eq, sql } from "drizzle-orm"
import { errors, jwtVerify } from "jose"
import * as z from "zod"

import { audit } from "../admin/audit.ts"
import type { Database } from "../database.ts"
import type { Attempts } from "./attempts.ts"
import { user } from "./auth.table.ts"
import type { Emails } from "./emails.ts"
import type { EndpointContext } from "./host-cookie.ts"
import { badRequest } from "./password-length.ts"
import { awaitsAnother } from "./sign-up-browser.ts"

const Query = z.object({ token: z.string(), callbackURL: z.string().optional() })

const Claims = z.object({ email: z.string(), user: z.string() })

const messages = {
  TOKEN_EXPIRED: "Token expired",
  INVALID_TOKEN: "Invalid token",
  ANOTHER_SIGN_UP: "The link is for another sign-up than this browser's: sign up again",
} as const

const RequestBody = z.object({ email: z.email(), callbackURL: z.string().optional() })

type Options = { database: Database; attempts: Attempts; emails: Emails | undefined }

/**
 * Replaces the library's verification of an address, whose links verify whatever password the
 * address has by then. These name the account: a new sign-up makes another, and older links end.
 * Known and unknown addresses get the same statements and the same answer.
 */
export function emailVerification({ database, attempts, emails }: Options) {
  const sendVerificationEmail = createAuthEndpoint(
    "/send-verification-email",
    { method: "POST", body: RequestBody },
    async (context) => {
      if (emails === undefined) {
        throw badRequest("VERIFICATION_EMAIL_NOT_ENABLED", "Verification email isn't enabled")
      }
      const email = context.body.email.toLowerCase()
      const unverified = and(eq(user.email, email), eq(user.emailVerified, false))
      const [counted, [found]] = await database.batch([
        attempts.count("email", email, sql`exists (select 1 from ${user} where ${unverified})`),
        database.select({ id: user.id, email: user.email }).from(user).where(unverified),
      ])
      if (found !== undefined && attempts.admits("email", counted)) {
        emails.sendVerification(found, context.body.callbackURL)
      }
      return context.json({ status: true })
    },
  )

  const verifyEmail = createAuthEndpoint(
    "/verify-email",
    { method: "GET", query: Query },
    async (context) => {
      const { token, callbackURL = "" } = context.query
      const claims = await readToken(token, context.context.secret)
      const code = typeof claims === "string" ? claims : await verifyIn(context, database, claims)
      if (callbackURL === "") {
        if (code === null) return context.json({ status: true, user: null })
        throw new APIError("UNAUTHORIZED", { code, message: messages[code] })
      }
      if (code === null) throw context.redirect(callbackURL)
      const separator = callbackURL.includes("?") ? "&" : "?"
      throw context.redirect(`${callbackURL}${separator}error=${code}`)
    },
  )
  // The keys must be the names of the library's endpoints, to replace them.
  return {
    id: "email-verification",
    endpoints: { sendVerificationEmail, verifyEmail },
  } satisfies BetterAuthPlugin
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

/** A link opened on another device verifies, too; a browser that signed up itself knows better. */
async function verifyIn(
  context: EndpointContext,
  database: Database,
  claims: z.infer<typeof Claims>,
) {
  if (await awaitsAnother(context, claims)) return "ANOTHER_SIGN_UP"
  return verify(database, claims)
}

/** Null if the account has, or already had, a verified address. */
async function verify(database: Database, claims: z.infer<typeof Claims>) {
  const named = and(eq(user.id, claims.user), eq(user.email, claims.email))
  const unverified = and(named, eq(user.emailVerified, false))
  const [, , [found]] = await database.batch([
    audit({
      database,
      action: "verify_email",
      actorId: null,
      subjectId: claims.user,
      when: sql`exists (select 1 from ${user} where ${unverified})`,
    }),
    database
      .update(user)
      .set({ emailVerified: true, unprovenSince: null, updatedAt: new Date() })
      .where(unverified),
    database.select({ id: user.id }).from(user).where(named),
  ])
  return found === undefined ? "INVALID_TOKEN" : null
}
