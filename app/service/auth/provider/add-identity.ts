import { and, eq, or, sql } from "drizzle-orm"

import { rowIf, sendNamed } from "../../database/database.ts"
import { isStillProven } from "../assurance/assurance.ts"
import { accountRow } from "../assurance/authenticators.ts"
import { account, removedIdentity } from "../auth.table.ts"
import type { Dependencies } from "../endpoint.ts"
import type { Identity } from "./identity.ts"

/** Ways to sign in, of one account. */
export const maxIdentities = 20

type Options = Pick<Dependencies, "database" | "letters"> & {
  identity: Identity
  headers: Headers | undefined
  /** The session in which its user asked for it. */
  session: { id: string; userId: string }
}

/**
 * Adds an identity to the account of a signed-in user: the owner's word, so its address says nothing
 * here, and what they removed before comes back. False if it is somebody else's, or the session is over, or not proven any more.
 */
export async function addIdentity({ database, letters, identity, session, headers }: Options) {
  const { providerId, issuer, subject: accountId } = identity
  const { userId } = session
  const now = new Date()
  const row = accountRow({ userId, providerId, accountId, issuer })
  const isAsked = isStillProven(session)
  const named = and(eq(account.providerId, providerId), eq(account.accountId, accountId))
  const own = and(named, eq(account.issuer, issuer), eq(account.userId, userId))
  const hasRoom = sql`(select count(*) from ${account}
    where ${account.userId} = ${userId}) < ${maxIdentities}`
  const { linked, added } = await sendNamed(database, {
    linked: letters.note(headers, {
      action: "link_identity",
      userId,
      detail: providerId,
      when: sql`${isAsked} and ${hasRoom} and not exists (select 1 from ${account}
        where ${named} and (${account.userId} <> ${userId} or ${account.issuer} = ${issuer}))`,
    }),
    account: database
      .insert(account)
      .select(rowIf(account, row, sql`${isAsked} and ${hasRoom}`))
      .onConflictDoUpdate({
        target: [account.providerId, account.accountId],
        set: { issuer, updatedAt: now },
        setWhere: eq(account.userId, userId),
      }),
    removed: database
      .delete(removedIdentity)
      .where(
        and(
          eq(removedIdentity.userId, userId),
          or(eq(removedIdentity.providerId, providerId), eq(removedIdentity.issuer, issuer)),
          sql`exists (select 1 from ${account} where ${own})`,
        ),
      ),
    added: database.select({ id: account.id }).from(account).where(own),
  })
  letters.send(linked)
  return added.length > 0
}
