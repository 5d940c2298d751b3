import { APIError, createAuthEndpoint } from "better-auth/api"
import { and, eq, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import { emailAllowance } from "../../guard/email-allowance.ts"
import { NewPassword } from "../../guard/new-password.ts"
import { TurnstileToken } from "../../guard/turnstile.ts"
import { audit } from "../../platform/audit/audit.ts"
import type { Keys } from "../../platform/configuration/keys.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { account, user } from "../../platform/database/auth.table.ts"
import { type Database, sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { isStillCurrent } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { isBound } from "../../session/session-binding.ts"
import {
  attemptCredential,
  checkCurrentPassword,
  Password,
} from "../../sign-in/password/password.ts"
import { setProvenPassword } from "../password/proven-password.ts"

export const linkMessages = {
  TOKEN_EXPIRED: "Token expired",
  INVALID_TOKEN: "Invalid token",
  PASSWORD_REQUIRED: "This browser did not sign up: send the token with a password",
  UNAUTHORIZED: "Open the link where you are signed in to the account",
} as const

export const verificationPaths = {
  send: {
    path: "/send-verification-email",
    is: ["letter", "open"],
    body: z.object({
      email: Email,
      callbackURL: z.string().optional(),
      errorCallbackURL: z.string().optional(),
      turnstile: TurnstileToken,
    }),
  },
  verify: {
    path: "/verify-email",
    methods: ["GET"],
    is: ["open"],
  },
  verifyWithPassword: {
    path: "/verify-email-with-password",
    is: ["password", "open"],
    body: z
      .object({
        token: z.string(),
        password: Password.optional(),
        newPassword: NewPassword.optional(),
      })
      .refine(
        ({ password, newPassword }) => (password === undefined) !== (newPassword === undefined),
        { path: ["password"], error: "Must be sent, or newPassword, and not both" },
      ),
  },
} as const satisfies Record<string, Path>

const Query = z.object({ token: z.string(), callbackURL: z.string().optional() })

const Claims = z.object({
  email: z.string(),
  user: z.string(),
  page: z.string(),
  /** The page that a failure leads to instead. */
  errorPage: z.string().optional(),
  signUp: z.object({ id: z.string(), name: z.string(), password: z.string() }).optional(),
})

/**
 * Replaces the library's verification, whose links verify any password that the address has by then. These links name
 * the sign-up that they were sent for, and set the values that it chose. A link proves the address, but not who chose
 * the password: another browser than the one that signed up also needs the password, or a new one. If the account has
 * no password, for example because a provider created it, its signed-in member verifies it. Known and unknown
 * addresses get the same statements and the same response.
 */
export function emailVerification(stores: Dependencies) {
  const { database, attempts, emails, marks } = stores
  const { keys } = stores.configuration

  const sendVerificationEmail = post(verificationPaths.send, [], async (context) => {
    if (emails === undefined) throw createApiError("VERIFICATION_EMAIL_NOT_ENABLED")
    const { email } = context.body
    const unverified = and(eq(user.email, email), eq(user.emailVerified, false))
    const isWaiting = sql`exists (select 1 from ${user} where ${unverified})`
    const allowance = emailAllowance(attempts, {
      email,
      kind: "email",
      headers: context.headers,
      isOwed: isWaiting,
    })
    const [counted, [row]] = await database.batch([
      allowance.counts,
      selectToVerify(database).where(unverified),
    ])
    if (row !== undefined && allowance.admits(counted)) {
      const { callbackURL: page, errorCallbackURL: errorPage } = context.body
      const accepted = context.headers?.get("accept-language")
      const pages = { page, errorPage }
      emails.sendVerification({ ...row, accepted }, { pages, signUp: signUpOf(row) })
    }
    return context.json({ status: true })
  })

  const verifyEmail = createAuthEndpoint(
    verificationPaths.verify.path,
    { method: "GET", query: Query },
    async (context) => {
      const { token, callbackURL = "" } = context.query
      const link = await readLink(token, keys, context.headers)
      const { claims, refused, page = callbackURL } = link
      const code = claims === undefined ? refused : await open(context, stores, claims)
      if (page === "") {
        if (code === null) return context.json({ status: true, user: null })
        throw refusal(code)
      }
      if (code === null) throw context.redirect(page)
      const rest: Record<string, string> = code === "PASSWORD_REQUIRED" ? { token } : {}
      throw context.redirect(addQuery(link.errorPage ?? page, { error: code, ...rest }))
    },
  )

  const verifyEmailWithPassword = post(
    verificationPaths.verifyWithPassword,
    [],
    async (context) => {
      const { token, password, newPassword } = context.body
      const { claims, refused } = await readLink(token, keys, context.headers)
      if (claims === undefined) throw refusal(refused)
      const factorSince =
        newPassword === undefined
          ? await checkSignUpPassword(stores, claims, password ?? "")
          : await replacePassword(context, stores, claims, newPassword)
      // As after a reset.
      if (!factorSince) await marks.knownBrowser.set(context, claims.email)
      return context.json({ status: true, email: claims.email })
    },
  )
  return { sendVerificationEmail, verifyEmail, verifyEmailWithPassword }
}

/** Query for the content of a verification link. */
export function selectToVerify(database: Database) {
  return database
    .select({
      id: user.id,
      email: user.email,
      language: user.language,
      name: user.name,
      unprovenSince: user.unprovenSince,
      signUpId: sql<string | null>`${account.id}`.as("sign_up_id"),
      password: account.password,
    })
    .from(user)
    .leftJoin(account, and(eq(account.providerId, "credential"), eq(account.accountId, user.id)))
}

type ToVerify = Awaited<ReturnType<typeof selectToVerify>>[number]

/** Returns the sign-up that the link turns into an account, or undefined if it is one already. */
export function signUpOf({ name, unprovenSince, signUpId: id, password }: ToVerify) {
  const isOpen = unprovenSince !== null && id !== null && password !== null
  return isOpen ? { id, name, password } : undefined
}

async function readLink(token: string, keys: Keys, headers?: Headers) {
  const opened = await keys.open("verification", token)
  const { data: claims } = Claims.safeParse(opened?.claims)
  if (claims === undefined) return { refused: "INVALID_TOKEN" } as const
  const { page, errorPage } = claims
  return opened?.isExpired === false
    ? ({ page, errorPage, claims: { ...claims, headers } } as const)
    : ({ page, errorPage, refused: "TOKEN_EXPIRED" } as const)
}

function refusal(code: keyof typeof linkMessages) {
  return new APIError("UNAUTHORIZED", { code, message: linkMessages[code] })
}

type Claims = z.infer<typeof Claims> & { headers: Headers | undefined }

function rowOf({ user: id, email }: Claims) {
  return and(eq(user.id, id), eq(user.email, email))
}

/** Returns null if the account now has a verified address, otherwise an error code. */
async function open(context: EndpointContext, stores: Stores, claims: Claims) {
  const { database, configuration, marks } = stores
  const here = await marks.signUp.read(context, claims.email)
  if (here?.id === (claims.signUp?.id ?? claims.user)) return verify(stores, claims)
  const { authCookies, secret } = context.context
  const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
  const isPassword = sql`${account.providerId} = 'credential' and ${account.accountId} = ${claims.user}`
  const hasPassword = sql`exists (select 1 from ${account} where ${isPassword})`
  const isOther = configuration.passwords ? sql`not ${hasPassword}` : sql`true`
  // The session of a pending sign-up may belong to another person.
  const isMember =
    token && claims.signUp === undefined && isBound(configuration, context.headers, token)
      ? sql`${isStillCurrent(token, claims.user)} and ${isOther}`
      : undefined
  const { found } = await sendChange(database, {
    ...(isMember && provenBy(stores, claims, isMember)),
    after: {
      found: database.select({ emailVerified: user.emailVerified }).from(user).where(rowOf(claims)),
    },
  })
  if (found[0] === undefined) return "INVALID_TOKEN"
  if (found[0].emailVerified) return null
  return configuration.passwords ? "PASSWORD_REQUIRED" : "UNAUTHORIZED"
}

type Stores = Pick<Dependencies, "configuration" | "database" | "attempts" | "marks" | "letters">

async function checkSignUpPassword(stores: Stores, claims: Claims, text: string) {
  const credential = await attemptCredential(stores, claims.user)
  // An older link can name an account that no longer exists.
  if (credential === undefined) throw refusal("INVALID_TOKEN")
  await checkCurrentPassword(claims.signUp?.password ?? credential.hash, text)
  const code = await verify(stores, claims, stores.attempts.takeBack("password", claims.user))
  if (code !== null) throw refusal(code)
  return credential.factorSince
}

/**
 * Returns the condition that the link is still valid, and the audit entry. From then on the sign-up is an account;
 * until then anyone may have signed up with the address.
 */
function proofOf({ database }: Stores, claims: Claims, isMember?: SQL) {
  const unverified = and(rowOf(claims), eq(user.emailVerified, false), isMember)
  const when = sql`exists (select 1 from ${user} where ${unverified})`
  const verification = audit({
    database,
    ...(claims.signUp === undefined
      ? { action: "verify_email" }
      : { action: "sign_up", detail: "password" }),
    actorId: null,
    subjectId: claims.user,
    when,
    headers: claims.headers,
  })
  return { unverified, when, verification }
}

/** Returns statements that verify an address and leave the account unchanged. */
function provenBy(stores: Stores, claims: Claims, isMember?: SQL) {
  const { unverified, verification } = proofOf(stores, claims, isMember)
  const change = { emailVerified: true, unprovenSince: null, updatedAt: new Date() }
  const proven = stores.database.update(user).set(change).where(unverified)
  return { before: { verification }, change: { proven } }
}

/** Rejects the link once the address is verified: otherwise it would reset the password, valid for a day. */
async function replacePassword(
  { context: { password: passwords }, headers }: EndpointContext,
  stores: Stores,
  claims: Claims,
  newPassword: string,
) {
  const password = await passwords.hash(newPassword)
  const { when, verification } = proofOf(stores, claims)
  const { user: userId, email } = claims
  const { replaced, entry } = await sendChange(stores.database, {
    before: { verification },
    ...setProvenPassword(stores, { userId, email, password, when, headers }),
  })
  if (replaced[0] === undefined) throw refusal("INVALID_TOKEN")
  stores.letters.send(entry)
}

/** Returns null if the account has, or already had, a verified address, otherwise an error code. */
async function verify(
  stores: Stores,
  claims: Claims,
  takeBack?: ReturnType<Stores["attempts"]["takeBack"]>,
) {
  const { database } = stores
  const { user: userId, email, signUp } = claims
  const { when, verification } = proofOf(stores, claims)
  const rows = database.select({ id: user.id }).from(user).where(rowOf(claims))
  const before = { rows, tried: takeBack, verification }
  const results = await (signUp === undefined
    ? sendChange(database, { ...provenBy(stores, claims), before })
    : sendChange(database, {
        ...setProvenPassword(stores, { ...signUp, userId, email, signUp, when }),
        before,
      }))
  return results.rows[0] === undefined ? "INVALID_TOKEN" : null
}
