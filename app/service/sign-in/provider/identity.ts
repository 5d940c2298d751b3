import { and, eq, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../../platform/audit/audit-entry.table.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import { account, removedIdentity, user } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange } from "../../platform/database/database.ts"
import { isStillProven } from "../../session/assurance/assurance.ts"
import { accountRow } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"

/** Sign-in methods of one account, except passkeys. */
export const maxIdentities = 20

/** User of a provider: a subject of an issuer. */
export type Identity = { providerId: string; issuer: string; subject: string }

/** Condition on a row of `account`, true for one at most. */
export function isIdentity({ providerId, subject }: Identity) {
  return and(eq(account.providerId, providerId), eq(account.accountId, subject))
}

/** Id of the user who has the identity, null if no user has it from its issuer. */
export function holderOf(identity: Identity) {
  return sql<string>`(select ${account.userId} from ${account}
    where ${isIdentity(identity)} and ${account.issuer} = ${identity.issuer})`
}

export function ownerOf(email: string) {
  return sql<string>`(select ${user.id} from ${user} where ${user.email} = ${email})`
}

/**
 * Condition for an identity that comes to an account only by its address: the provider, under any of its
 * ids, has named no second owner of the address, and the owner has not removed the identity.
 */
export function mayJoin(email: string, { providerId, issuer, subject }: Identity) {
  const owner = ownerOf(email)
  return sql`(not exists (select 1 from ${account} where ${account.userId} = ${owner}
      and (${account.providerId} = ${providerId}
        or (${account.issuer} = ${issuer} and ${account.accountId} <> ${subject})))
    and not exists (select 1 from ${removedIdentity} where ${removedIdentity.userId} = ${owner}
      and (${removedIdentity.providerId} = ${providerId} or ${removedIdentity.issuer} = ${issuer})))`
}

type Stores = Pick<Dependencies, "database" | "letters">

type Link = {
  userId: string | SQL<string>
  identity: Identity
  headers: Headers | undefined
  /** The statements link nothing unless this holds. */
  when: SQL
  /** Condition under which the owner gets an email. Default: always. */
  isNotice?: SQL
  /** Id of an account that the same batch may open: then it is a sign-up. */
  newId?: string
}

/** Statements that link an identity to an account, with the entry. */
function linkIdentity({ database, letters }: Stores, link: Link) {
  const { userId, identity, headers, when, isNotice, newId = null } = link
  const { providerId, issuer, subject: accountId } = identity
  const row = accountRow({ userId, providerId, accountId, issuer })
  return {
    account: database
      .insert(account)
      .select(rowIf(account, row, when))
      .onConflictDoNothing(),
    linked: auditOwn({
      database,
      action: sql<AuditAction>`iif(${userId} = ${newId}, 'sign_up', 'link_identity')`,
      userId,
      detail: providerId,
      when: sql`exists (select 1 from ${account} where ${account.id} = ${row.id})`,
      headers,
      letter: letters.owed(isNotice),
    }),
  }
}

type Joining = Omit<Link, "userId" | "isNotice"> & { email: string }

/** Statements that link an identity to the account of its address. */
export function joinIdentity(stores: Stores, { email, ...link }: Joining) {
  const userId = ownerOf(email)
  const when = sql`${link.when} and ${mayJoin(email, link.identity)}`
  const isOther = sql`${account.userId} = ${userId} and not (${isIdentity(link.identity)})`
  const isNotice = sql`exists (select 1 from ${account} where ${isOther})`
  return linkIdentity(stores, { ...link, userId, when, isNotice })
}

type Adding = Pick<Link, "identity" | "headers"> & {
  /** Session in which its user asked for it. */
  session: { id: string; userId: string }
}

/**
 * Adds an identity to the account of a signed-in user: its address does not matter here, and an identity
 * that they removed comes back. False if the identity is another account's, or the session is over or no
 * longer proven.
 */
export async function addIdentity(stores: Stores, { identity, headers, session }: Adding) {
  const { database, letters } = stores
  const { providerId, issuer } = identity
  const { userId } = session
  const isAsked = isStillProven(session)
  const hasRoom = sql`(select count(*) from ${account}
    where ${account.userId} = ${userId}) < ${maxIdentities}`
  const isStale = sql`${account.userId} = ${userId} and ${account.issuer} is not ${issuer}`
  const isAdded = sql`${holderOf(identity)} = ${userId}`
  const isOfProvider = sql`(${removedIdentity.providerId} = ${providerId}
    or ${removedIdentity.issuer} = ${issuer})`
  const when = sql`${isAsked} and ${hasRoom}`
  const link = linkIdentity(stores, { userId, identity, headers, when })
  const { linked, added } = await sendChange(database, {
    change: {
      stale: database.delete(account).where(and(isIdentity(identity), isStale, isAsked)),
      account: link.account,
    },
    after: {
      linked: link.linked,
      removed: database
        .delete(removedIdentity)
        .where(and(eq(removedIdentity.userId, userId), isOfProvider, isAdded)),
      added: database
        .select({ id: user.id })
        .from(user)
        .where(and(eq(user.id, userId), isAdded)),
    },
  })
  letters.send(linked)
  return added.length > 0
}
