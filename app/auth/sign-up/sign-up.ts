import { createAuthEndpoint } from "better-auth/api"
import { setSessionCookie } from "better-auth/cookies"
import type { BetterAuthPlugin } from "better-auth/types"
import { sql } from "drizzle-orm"
import * as z from "zod"

import { rowIf } from "../../conditional-row.ts"
import type { Database } from "../../database.ts"
import { createId } from "../../identifier.ts"
import { credentialRow } from "../account-row.ts"
import { createApiError } from "../api-error.ts"
import type { Attempts } from "../attempts.ts"
import { account, user } from "../auth.table.ts"
import type { Emails } from "../emails.ts"
import { checkPasswordLength } from "../password/password-length.ts"
import { checkNewUser } from "./new-user.ts"
import { markSignUp } from "./sign-up-browser.ts"
import { deleteUnproven } from "./unproven.ts"

const SignUpBody = z.object({
  name: z.string(),
  email: z.email(),
  password: z.string().min(1),
  image: z.string().optional(),
  callbackURL: z.string().optional(),
  rememberMe: z.boolean().optional(),
})

type Options = {
  database: Database
  attempts: Attempts
  emails: Emails | undefined
  /** Whether an address must be verified before the account can be used. */
  verifyEmail: boolean
}

/**
 * Replaces the library's sign-up, which keeps what the first sign-up with an address set, for whoever
 * verifies it. Here each sign-up replaces what nobody has proven, and where an address must be
 * verified, known and unknown ones get the same statements and the same answer.
 */
export function emailSignUp({ database, attempts, emails, verifyEmail }: Options) {
  const signUpEmail = createAuthEndpoint(
    "/sign-up/email",
    { method: "POST", body: SignUpBody },
    async (context) => {
      const { password, callbackURL, rememberMe, ...given } = context.body
      checkPasswordLength(context.context.password.config, password)
      const { name, email, image, emailVerified } = checkNewUser(given)
      const hash = await context.context.password.hash(password)
      const now = new Date()
      const row = {
        createdAt: now,
        updatedAt: now,
        id: createId("user"),
        email: email.toLowerCase(),
        emailVerified,
        name,
        image: image ?? null,
        role: "member",
        plan: "free",
        planUntil: null,
      } as const
      const isNew = sql`exists (select 1 from ${user} where id = ${row.id})`
      const [, [inserted], , counted] = await database.batch([
        deleteUnproven(database, row.email),
        database
          .insert(user)
          .values({ ...row, unprovenSince: verifyEmail && !emailVerified ? now : null })
          .onConflictDoNothing()
          .returning({ id: user.id }),
        database
          .insert(account)
          .select(rowIf(account, credentialRow({ userId: row.id, password: hash, now }), isNew)),
        // A notice about a known account must leave an e-mail for a link to it.
        attempts.count(
          "email",
          row.email,
          sql`${emails === undefined ? sql`false` : sql`true`} and (${isNew} or
            (${verifyEmail ? sql`true` : sql`false`} and ${attempts.leavesOne("email", row.email)}))`,
        ),
      ])
      if (!verifyEmail && inserted === undefined) {
        throw createApiError("USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")
      }
      if (attempts.admits("email", counted)) {
        if (inserted === undefined) emails?.sendExisting(row)
        else emails?.sendVerification(row, callbackURL)
      }
      if (verifyEmail) {
        await markSignUp(context, row)
        return context.json({ token: null, user: row })
      }
      const forgets = rememberMe === false
      const session = await context.context.internalAdapter.createSession(row.id, forgets)
      await setSessionCookie(context, { session, user: row }, forgets)
      await markSignUp(context, row)
      return context.json({ token: session.token, user: row })
    },
  )
  // The key must be the name of the library's endpoint, to replace it.
  return { id: "email-sign-up", endpoints: { signUpEmail } } satisfies BetterAuthPlugin
}
