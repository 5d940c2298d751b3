import { APIError, createAuthEndpoint } from "better-auth/api"
import type { BetterAuthPlugin } from "better-auth/types"
import { and, eq, exists, sql } from "drizzle-orm"
import * as z from "zod"

import type { Database } from "../database.ts"
import { createId } from "../identifier.ts"
import { forget } from "./auth-hooks.ts"
import { account, session, user, verification } from "./auth.table.ts"

const Choice = z.object({ newPassword: z.string(), token: z.string() })

/**
 * The library's own reset in two statements instead of seven, the second whole or not at all: with
 * a new password whoever knew the old one is out, and the owner may try again.
 */
export function passwordReset(database: Database) {
  const resetPassword = createAuthEndpoint(
    "/reset-password",
    { method: "POST", body: Choice },
    async (context) => {
      const { newPassword, token } = context.body
      const { config, hash } = context.context.password
      if (newPassword.length < config.minPasswordLength) {
        throw refusal("PASSWORD_TOO_SHORT", "Password too short")
      }
      if (newPassword.length > config.maxPasswordLength) {
        throw refusal("PASSWORD_TOO_LONG", "Password too long")
      }
      const userId = await consume(database, token)
      if (userId === undefined) throw refusal("INVALID_TOKEN", "Invalid token")
      const password = await hash(newPassword)
      const now = new Date()
      await database.batch([
        database
          .insert(account)
          .values({
            id: createId("account"),
            userId,
            providerId: "credential",
            accountId: userId,
            password,
            createdAt: now,
            updatedAt: now,
          })
          .onConflictDoUpdate({
            target: [account.providerId, account.accountId],
            set: { password, updatedAt: now },
          }),
        forget(database, userId),
        database.delete(session).where(eq(session.userId, userId)),
      ])
      return context.json({ status: true })
    },
  )
  // The name is the library's own, whose endpoint this one replaces.
  return { id: "password-reset", endpoints: { resetPassword } } satisfies BetterAuthPlugin
}

function refusal(code: string, message: string) {
  return new APIError("BAD_REQUEST", { code, message })
}

/** Whose password a mailed token may change; it is gone then, good or not. */
async function consume(database: Database, token: string) {
  const [consumed] = await database
    .delete(verification)
    .where(
      and(
        eq(verification.identifier, `reset-password:${token}`),
        exists(
          database
            .select({ one: sql`1` })
            .from(user)
            .where(eq(user.id, verification.value)),
        ),
      ),
    )
    .returning({ userId: verification.value, expiresAt: verification.expiresAt })
  const good = consumed !== undefined && consumed.expiresAt.getTime() >= Date.now()
  return good ? consumed.userId : undefined
}
