import { APIError, createAuthEndpoint } from "better-auth/api"
import type { BetterAuthPlugin } from "better-auth/types"
import { and, eq, sql } from "drizzle-orm"
import { errors, jwtVerify } from "jose"
import * as z from "zod"

import { audit } from "../../admin/audit.ts"
import type { Database } from "../../database.ts"
import { sendNamed } from "../../named-batch.ts"
import type { Secret } from "../../secret.ts"
import type { Attempts } from "../attempts.ts"
import { user } from "../auth.table.ts"
import type { EndpointContext } from "../cookie/host-cookie.ts"
import { markKnownBrowser } from "../cookie/known-browser.ts"
import type { Emails } from "../emails.ts"
import { attemptCredential, checkCurrentPassword } from "../password/current-password.ts"
import { badRequest, checkPasswordLength } from "../password/password-length.ts"
import { setProvenPassword } from "../password/proven-password.ts"
import { signedUpHere } from "./sign-up-browser.ts"

const Query = z.object({ token: z.string(), callbackURL: z.string().optional() })

const Claims = z.object({ email: z.string(), user: z.string() })

const messages = {
  TOKEN_EXPIRED: "Token expired",
  INVALID_TOKEN: "Invalid token",
  PASSWORD_REQUIRED: "This browser did not sign up: send the token with a password",
} as const

const RequestBody = z.object({ email: z.email().max(254), callbackURL: z.string().optional() })

const PasswordBody = z
  .object({
    token: z.string(),
    password: z.string().optional(),
    newPassword: z.string().optional(),
  })
  .refine(({ password, newPassword }) => (password === undefined) !== (newPassword === undefined), {
    path: ["password"],
    error: "Send either password or newPassword",
  })

type Options = {
  database: Database
  attempts: Attempts
  emails: Emails | undefined
  /** Those that sign links, or did. */
  secrets: Secret[]
}

/**
 * Replaces the library's verification of an address, whose links verify whatever password the
 * address has by then. These name the account: a new sign-up makes another, and older links end. A
 * link proves the address, and not who chose the password: in another browser than the one that
 * signed up it takes the password, too, or a new one.
 * Known and unknown addresses get the same statements and the same answer.
 */
export function emailVerification({ database, attempts, emails, secrets }: Options) {
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
      const claims = await readToken(token, secrets)
      const code = typeof claims === "string" ? claims : await open(context, database, claims)
      if (callbackURL === "") {
        if (code === null) return context.json({ status: true, user: null })
        throw refusal(code)
      }
      if (code === null) throw context.redirect(callbackURL)
      const separator = callbackURL.includes("?") ? "&" : "?"
      const rest = code === "PASSWORD_REQUIRED" ? `&token=${token}` : ""
      throw context.redirect(`${callbackURL}${separator}error=${code}${rest}`)
    },
  )

  const verifyEmailWithPassword = createAuthEndpoint(
    "/verify-email-with-password",
    { method: "POST", body: PasswordBody },
    async (context) => {
      const { token, password, newPassword } = context.body
      const claims = await readToken(token, secrets)
      if (typeof claims === "string") throw refusal(claims)
      if (newPassword === undefined) {
        await checkSignUpPassword({ database, attempts }, claims, password ?? "")
      } else {
        checkPasswordLength(context.context.password.config, newPassword)
        const hash = await context.context.password.hash(newPassword)
        await replacePassword({ database, attempts }, claims, hash)
      }
      // A stranger's wrong passwords must not keep the owner out any more.
      await markKnownBrowser(context, claims.email)
      return context.json({ status: true, email: claims.email })
    },
  )
  // The keys must be the names of the library's endpoints, to replace them.
  return {
    id: "email-verification",
    endpoints: { sendVerificationEmail, verifyEmail, verifyEmailWithPassword },
  } satisfies BetterAuthPlugin
}

async function readToken(
  token: string,
  [secret, ...others]: Secret[],
): Promise<Claims | "TOKEN_EXPIRED" | "INVALID_TOKEN"> {
  if (secret === undefined) return "INVALID_TOKEN"
  try {
    const key = new TextEncoder().encode(secret.reveal())
    const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] })
    return Claims.safeParse(payload).data ?? "INVALID_TOKEN"
  } catch (error) {
    // Only a token with a good signature is found to have expired.
    if (error instanceof errors.JWTExpired) return "TOKEN_EXPIRED"
    return readToken(token, others)
  }
}

function refusal(code: keyof typeof messages) {
  return new APIError("UNAUTHORIZED", { code, message: messages[code] })
}

type Claims = z.infer<typeof Claims>

function rowOf({ user: id, email }: Claims) {
  return and(eq(user.id, id), eq(user.email, email))
}

/** Null if the account has a verified address now. */
async function open(context: EndpointContext, database: Database, claims: Claims) {
  if (await signedUpHere(context, claims)) return verify(database, claims)
  const [found] = await database
    .select({ emailVerified: user.emailVerified })
    .from(user)
    .where(rowOf(claims))
  if (found === undefined) return "INVALID_TOKEN"
  return found.emailVerified ? null : "PASSWORD_REQUIRED"
}

type Stores = { database: Database; attempts: Attempts }

async function checkSignUpPassword({ database, attempts }: Stores, claims: Claims, text: string) {
  const credential = await attemptCredential({ database, attempts }, claims.user)
  // The account of an older link is no more.
  if (credential === undefined) throw refusal("INVALID_TOKEN")
  await checkCurrentPassword(credential.hash, text)
  const code = await verify(database, claims)
  if (code !== null) throw refusal(code)
  await attempts.forget("password", claims.user)
}

/** The link is no longer one once the address is verified: that would be a reset, valid for a day. */
async function replacePassword({ database, attempts }: Stores, claims: Claims, password: string) {
  const unverified = and(rowOf(claims), eq(user.emailVerified, false))
  const when = sql`exists (select 1 from ${user} where ${unverified})`
  const { user: userId, email } = claims
  const { replaced } = await sendNamed(database, {
    verification: audit({
      database,
      action: "verify_email",
      actorId: null,
      subjectId: userId,
      when,
    }),
    ...setProvenPassword({ database, attempts }, { userId, email, password, when }),
  })
  if (replaced[0] === undefined) throw refusal("INVALID_TOKEN")
}

/** Null if the account has, or already had, a verified address. */
async function verify(database: Database, claims: Claims) {
  const named = rowOf(claims)
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
