import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { account, removedIdentity } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { endAccess } from "../../session/access-ending.ts"
import { isStillProven, provenSession } from "../../session/assurance/assurance.ts"
import { hasOtherMethod } from "../../session/assurance/authenticators.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"

export const unlinkAccountPath = {
  path: "/unlink-account",
  body: z.object({
    providerId: z.string().max(255),
    accountId: z.string().max(255).optional(),
  }),
} as const satisfies Path

/**
 * Replaces the library's endpoint, which counts the sign-in methods before it removes one. Two concurrent requests
 * could therefore remove both.
 */
export function accountUnlinking({ configuration, database, letters }: Dependencies) {
  const use = provenSession({ configuration, database })
  const unlinkAccount = post(unlinkAccountPath, use, async (context) => {
    const { providerId, accountId } = context.body
    const { user, session: current } = context.context.session
    const isNamed = and(
      eq(account.userId, user.id),
      eq(account.providerId, providerId),
      accountId === undefined ? undefined : eq(account.accountId, accountId),
    )
    const id = sql`(select ${account.id} from ${account} where ${isNamed} order by ${account.createdAt} limit 1)`
    const issuer = sql`(select ${account.issuer} from ${account} where ${account.id} = ${id})`
    const isSignedIn = isStillProven(current)
    const when = sql`${id} is not null and ${isSignedIn}
        and ${hasOtherMethod(configuration, user.id, { accountId: id })}`
    const { found, entry, removed } = await sendChange(database, {
      before: {
        found: database
          .select({ isSignedIn: sql<number>`${isSignedIn}` })
          .from(account)
          .where(isNamed)
          .limit(1),
        entry: letters.note(context.headers, {
          action: "unlink_identity",
          userId: user.id,
          detail: providerId,
          when,
        }),
      },
      change: {
        // Ends sessions created with the identity. Older emails cannot restore them.
        ...endAccess(database, { userId: user.id, keeps: { sessionId: current.id }, when }),
        // The address of the identity no longer opens the account either.
        memory: database
          .insert(removedIdentity)
          .select(
            rowIf(
              removedIdentity,
              { userId: user.id, providerId, issuer, removedAt: new Date() },
              when,
            ),
          )
          .onConflictDoUpdate({
            target: [removedIdentity.userId, removedIdentity.providerId],
            set: { issuer: sql`excluded.issuer` },
          }),
        removed: database
          .delete(account)
          .where(and(eq(account.id, id), when))
          .returning({ id: account.id }),
      },
    })
    if (found[0]?.isSignedIn === 0) throw createApiError("UNAUTHORIZED")
    if (found[0] === undefined) throw createApiError("ACCOUNT_NOT_FOUND")
    if (removed[0] === undefined) throw createApiError("FAILED_TO_UNLINK_LAST_ACCOUNT")
    letters.send(entry)
    return context.json({ status: true })
  })
  return { unlinkAccount }
}
