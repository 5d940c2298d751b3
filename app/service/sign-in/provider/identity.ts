import { and, eq, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../../platform/audit/audit-entry.table.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import { account, removedIdentity, user } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange } from "../../platform/database/database.ts"
import { isStillProven } from "../../session/assurance/assurance.ts"
import { accountRow } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"

/** Maximum sign-in methods of an account, without passkeys. */
export const maxIdentities = 20

/** A user of a provider, identified by issuer and subject. */
export type Identity = { providerId: string; issuer: string; subject: string }

/** Condition on a row of `account`: it stores this identity. True for one row at most. */
export function isIdentity({ providerId, subject }: Identity) {
  return and(eq(account.providerId, providerId), eq(account.accountId, subject))
}

/** SQL id of the user who has the identity from its issuer, or null. */
export function holderOf(identity: Identity) {
  return sql<string>`(select ${account.userId} from ${account}
    where ${isIdentity(identity)} and ${account.issuer} = ${identity.issuer})`
}

export function ownerOf(email: string) {
  return sql<string>`(select ${user.id} from ${user} where ${user.email} = ${email})`
}

/**
 * Condition for linking an identity by its address: the account has no other identity of the provider, under any of
 * its ids, and the owner has removed none.
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
  /** Condition for linking. */
  when: SQL
  /** Condition for an email to the owner. Default: always. */
  isNotice?: SQL
  /** Id of an account that the same batch may create. Linking to it is audited as a sign-up. */
  newId?: string
}

/** Returns the statements that link an identity to an account and audit it. */
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

/** Returns the statements that link an identity to the account of its address. */
export function joinIdentity(stores: Stores, { email, ...link }: Joining) {
  const userId = ownerOf(email)
  const when = sql`${link.when} and ${mayJoin(email, link.identity)}`
  const isOther = sql`${account.userId} = ${userId} and not (${isIdentity(link.identity)})`
  const isNotice = sql`exists (select 1 from ${account} where ${isOther})`
  return linkIdentity(stores, { ...link, userId, when, isNotice })
}

type Adding = Pick<Link, "identity" | "headers"> & {
  /** The session that requested it. */
  session: { id: string; userId: string }
}

/**
 * Links an identity to a signed-in user's account, even if its address differs or the user removed it before. Returns
 * false if another account has it, the account has too many, or the session has ended or is not stepped up.
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
