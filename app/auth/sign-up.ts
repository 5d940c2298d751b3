import { createAuthEndpoint } from "better-auth/api"
import type { BetterAuthPlugin } from "better-auth/types"
import { sql } from "drizzle-orm"
import * as z from "zod"

import { rowIf } from "../conditional-row.ts"
import type { Database } from "../database.ts"
import { createId } from "../identifier.ts"
import { account, user } from "./auth.table.ts"
import type { Emails } from "./emails.ts"
import { checkNewUser } from "./new-user.ts"
import { checkPasswordLength } from "./password-length.ts"
import { deleteUnproven } from "./unproven.ts"

const SignUpBody = z.object({
  name: z.string(),
  email: z.email(),
  password: z.string().min(1),
  image: z.string().optional(),
  callbackURL: z.string().optional(),
})

type Options = { database: Database; emails: Emails | undefined }

/**
 * Replaces the library's sign-up where an address must be verified. The library keeps what the first
 * sign-up with an address set, for whoever verifies it; this one lets each sign-up replace what
 * nobody has proven. Known and unknown addresses get the same statements and the same answer.
 */
export function provenSignUp({ database, emails }: Options) {
  const signUpEmail = createAuthEndpoint(
    "/sign-up/email",
    { method: "POST", body: SignUpBody },
    async (context) => {
      const { password, callbackURL, ...given } = context.body
      checkPasswordLength(context.context.password.config, password)
      const { name, email, image, emailVerified } = checkNewUser(given)
      const hash = await context.context.password.hash(password)
      const now = new Date()
      const common = { createdAt: now, updatedAt: now }
      const row = {
        ...common,
        id: createId("user"),
        email: email.toLowerCase(),
        emailVerified,
        name,
        image: image ?? null,
        role: "member",
        plan: "free",
        planUntil: null,
      } as const
      const [, [inserted]] = await database.batch([
        deleteUnproven(database, row.email),
        database
          .insert(user)
          .values({ ...row, unprovenSince: emailVerified ? null : now })
          .onConflictDoNothing()
          .returning({ id: user.id }),
        database.insert(account).select(
          rowIf(
            account,
            {
              ...common,
              id: createId("account"),
              userId: row.id,
              providerId: "credential",
              accountId: row.id,
              password: hash,
              accessToken: null,
              accessTokenExpiresAt: null,
              refreshToken: null,
              refreshTokenExpiresAt: null,
              idToken: null,
              scope: null,
            },
            sql`exists (select 1 from ${user} where id = ${row.id})`,
          ),
        ),
      ])
      if (inserted === undefined) emails?.sendExisting(row)
      else emails?.sendVerification(row, callbackURL)
      return context.json({ token: null, user: row })
    },
  )
  // The key must be the name of the library's endpoint, to replace it.
  return { id: "proven-sign-up", endpoints: { signUpEmail } } satisfies BetterAuthPlugin
}
