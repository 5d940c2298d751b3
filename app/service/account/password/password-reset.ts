import { createHash } from "node:crypto"

import { generateRandomString } from "better-auth/crypto"
import { and, eq, gte, sql, type SQL } from "drizzle-orm"
import * as z from "zod"

import { emailAllowance, ownerOrNobody } from "../../guard/email-allowance.ts"
import { NewPassword } from "../../guard/new-password.ts"
import { TurnstileToken } from "../../guard/turnstile.ts"
import { user, verification } from "../../platform/database/auth.table.ts"
import { type Database, sendChange, sendNamed } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { openVerification } from "../../session/verification-opening.ts"
import { setProvenPassword } from "./proven-password.ts"

export const resetPaths = {
  request: {
    path: "/request-password-reset",
    is: ["password", "letter", "open"],
    body: z.object({
      email: Email,
      redirectTo: z.string().optional(),
      turnstile: TurnstileToken,
    }),
  },
  open: {
    path: "/reset-password/:token",
    methods: ["GET"],
    is: ["password", "open"],
  },
  reset: {
    path: "/reset-password",
    is: ["password", "open"],
    body: z.object({ newPassword: NewPassword, token: z.string() }),
  },
} as const satisfies Record<string, Path>

/** Milliseconds. */
const lifetime = 60 * 60 * 1000

const answer = {
  status: true,
  message: "If this email exists in our system, check your email for the reset link",
}

/**
 * Replaces the library's password reset. Tokens are stored as hashes, and all stay valid until one is used,
 * because anyone may request another. Known and unknown addresses get the same statements. Choosing a new
 * password verifies the address, unblocks sign-in and ends every session, in one transaction.
 */
export function passwordReset(dependencies: Dependencies) {
  const { database, attempts, emails, letters, marks } = dependencies

  const requestPasswordReset = post(resetPaths.request, [], async (context) => {
    if (emails === undefined) throw createApiError("RESET_PASSWORD_DISABLED")
    const { email, redirectTo } = context.body
    const token = generateRandomString(32)
    const { counts, isWithin } = emailAllowance(attempts, {
      email,
      kind: "email",
      headers: context.headers,
      browser: await marks.knownBrowser.subject(context, email),
    })
    const reset = { token, userId: ownerOrNobody(email), when: isWithin }
    const { opened } = await sendNamed(database, { counts, opened: openReset(database, reset) })
    const [stored] = opened
    const accepted = context.headers?.get("accept-language")
    if (stored?.owner) {
      emails.sendReset({ email, language: stored.language, accepted }, token, redirectTo)
    }
    return context.json(answer)
  })

  const resetPassword = post(resetPaths.reset, [], async (context) => {
    const { newPassword, token } = context.body
    const [row] = await database
      .select({ userId: user.id, email: user.email, factorSince: user.secondFactorSince })
      .from(verification)
      .innerJoin(user, eq(user.id, verification.value))
      .where(isValid(token))
    if (row === undefined) throw createApiError("INVALID_TOKEN")
    const { userId, email, factorSince } = row
    const password = await context.context.password.hash(newPassword)
    // The token is deleted in the batch that sets the password, so it survives a failure and works only once.
    const when = sql`exists (select 1 from ${verification} where ${isValid(token)}
        and ${verification.value} = (select id from ${user} where id = ${userId}))`
    const proven = { userId, email, password, when, headers: context.headers }
    const { replaced, entry } = await sendChange(
      database,
      setProvenPassword({ database, attempts, letters }, proven),
    )
    if (replaced[0] === undefined) throw createApiError("INVALID_TOKEN")
    letters.send(entry)
    // Lets this browser sign in despite a stranger's wrong passwords. A second factor must be shown first.
    if (factorSince === null) await marks.knownBrowser.set(context, email)
    return context.json({ status: true })
  })

  return { requestPasswordReset, resetPassword }
}

/** Hashes like the library's `storeIdentifier: "hashed"`, which reads it when a link is opened. */
function identifierOf(token: string) {
  return createHash("sha256").update(`reset-password:${token}`).digest("base64url")
}

type Reset = { token: string; userId: SQL<string>; when: SQL }

export function openReset(database: Database, { token, userId, when }: Reset) {
  return openVerification(database, { identifier: identifierOf(token), userId, lifetime }, when)
}

function isValid(token: string) {
  return and(
    eq(verification.identifier, identifierOf(token)),
    gte(verification.expiresAt, new Date()),
  )
}
