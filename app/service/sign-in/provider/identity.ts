import { and, eq, or, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../../platform/audit/audit-entry.table.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import { account, invitation, removedIdentity, user } from "../../platform/database/auth.table.ts"
import { type Database, rowIf, sendChange, sendNamed } from "../../platform/database/database.ts"
import { isStillProven } from "../../session/assurance/assurance.ts"
import { accountRow, hasApp, hasFactor } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { invites, isOpen, isUnproven } from "../../session/proof.ts"
import { suspension } from "../../session/session-opening.ts"

/** How many identities without an issuer one sign-in binds: D1 limits a statement's time. */
const boundAtOnce = 1000

/** Sign-in methods of one account, except passkeys. */
export const maxIdentities = 20

/** User of a provider: a subject of an issuer. */
export type Identity = { providerId: string; issuer: string; subject: string }

/** Columns that say whether a provider still opens an account by itself. */
const state = {
  userId: user.id,
  email: user.email,
  suspension,
  hasApp: sql<number>`${hasApp(sql`${user.id}`)}`,
  hasFactor: sql<number>`${hasFactor(sql`${user.id}`)}`,
}

/** Reads the account that has the identity, and the one that has the address. */
export async function findOwners(
  { database, configuration }: Pick<Dependencies, "configuration" | "database">,
  identity: Identity,
  email: string,
) {
  const isInvited = configuration.signUp === "invited" ? invites(email) : undefined
  const { identities, addresses, invitations } = await sendNamed(database, {
    invitations:
      isInvited && database.select({ id: invitation.id }).from(invitation).where(isInvited),
    identities: database
      // Not the user's own id: of two columns with one name a batch returns one.
      .select({ ...state, id: account.id, userId: account.userId, issuer: account.issuer })
      .from(account)
      .innerJoin(user, eq(user.id, account.userId))
      .where(isIdentity(identity)),
    addresses: database
      .select({
        ...state,
        isOpen: sql<number>`${isOpen}`,
        isUnproven: sql<number>`${isUnproven}`,
        mayJoin: sql<number>`${mayJoin(email, identity)}`,
      })
      .from(user)
      .where(eq(user.email, email)),
  })
  return {
    byIdentity: identities[0],
    byAddress: addresses[0],
    isInvited: invitations?.[0] !== undefined,
  }
}

/** Condition on a row of `account`. */
export function isIdentity({ providerId, subject }: Identity) {
  return and(eq(account.providerId, providerId), eq(account.accountId, subject))
}

/**
 * Condition for an identity that comes to an account by its address alone: the provider, under any of its
 * ids, has named no other owner of the address, and the owner has not removed the identity.
 */
export function mayJoin(email: string, { providerId, issuer, subject }: Identity) {
  const owner = ownerOf(email)
  return sql`(not exists (select 1 from ${account} where ${account.userId} = ${owner}
      and (${account.providerId} = ${providerId}
        or (${account.issuer} = ${issuer} and ${account.accountId} <> ${subject})))
    and not exists (select 1 from ${removedIdentity} where ${removedIdentity.userId} = ${owner}
      and (${removedIdentity.providerId} = ${providerId} or ${removedIdentity.issuer} = ${issuer})))`
}

export function ownerOf(email: string) {
  return sql<string>`(select ${user.id} from ${user} where ${user.email} = ${email})`
}

type Joining = {
  email: string
  identity: Identity
  headers: Headers | undefined
  /** The statements link nothing unless this holds. */
  when: SQL
  /** Id of an account that the same batch may open: then it is a sign-up. */
  newId?: string
}

function rowOf({ providerId, issuer, subject: accountId }: Identity, userId: string | SQL) {
  return accountRow({ userId, providerId, accountId, issuer })
}

type Stores = Pick<Dependencies, "database" | "letters">

/** Statements that link an identity to the account of its address, with the entry and the e-mail that is owed. */
export function joinIdentity({ database, letters }: Stores, joining: Joining) {
  const { email, identity, headers, when, newId } = joining
  const userId = ownerOf(email)
  const row = rowOf(identity, userId)
  const isOther = sql`${account.userId} = ${userId} and ${account.id} <> ${row.id}`
  return {
    id: row.id,
    statements: {
      account: database
        .insert(account)
        .select(rowIf(account, row, sql`${when} and ${mayJoin(email, identity)}`))
        .onConflictDoNothing(),
      linked: auditOwn({
        database,
        action: newId
          ? sql<AuditAction>`case when ${userId} = ${newId} then 'sign_up' else 'link_identity' end`
          : "link_identity",
        userId,
        detail: identity.providerId,
        when: sql`exists (select 1 from ${account} where ${account.id} = ${row.id})`,
        headers,
        // Owed where the account has another sign-in method.
        letter: letters.owed(sql`exists (select 1 from ${account} where ${isOther})`),
      }),
    },
  }
}

/**
 * Statements for a row that is older than the column of issuers, once its owner has come with the address
 * of the account: they bind its identity, and the others of the provider, which have the same issuer.
 */
export function bindIssuer(database: Database, { providerId, issuer }: Identity, id: string) {
  const unbound = sql`${account.providerId} = ${providerId} and ${account.issuer} is null
    and ${account.providerId} <> 'credential'`
  const batch = sql`(select ${account.id} from ${account} where ${unbound} limit ${boundAtOnce})`
  const update = database.update(account)
  return {
    bound: update.set({ issuer }).where(sql`${account.id} = ${id} and ${unbound}`),
    others: update.set({ issuer }).where(sql`${account.id} in ${batch}`),
  }
}

type Adding = {
  identity: Identity
  headers: Headers | undefined
  /** The session in which its user asked for it. */
  session: { id: string; userId: string }
}

/**
 * Adds an identity to the account of a signed-in user: the owner's word, so its address says nothing
 * here, and an identity that they removed comes back. False if the identity is
 * another account's, or the session is over or no longer proven.
 */
export async function addIdentity({ database, letters }: Stores, adding: Adding) {
  const { identity, session, headers } = adding
  const { providerId, issuer } = identity
  const { userId } = session
  const isAsked = isStillProven(session)
  const isOwn = and(isIdentity(identity), eq(account.issuer, issuer), eq(account.userId, userId))
  const hasRoom = sql`(select count(*) from ${account}
    where ${account.userId} = ${userId}) < ${maxIdentities}`
  const { linked, added } = await sendChange(database, {
    before: {
      linked: letters.note(headers, {
        action: "link_identity",
        userId,
        detail: providerId,
        when: sql`${isAsked} and ${hasRoom} and not exists (select 1 from ${account}
        where ${isIdentity(identity)} and (${account.userId} <> ${userId} or ${account.issuer} = ${issuer}))`,
      }),
    },
    change: {
      account: database
        .insert(account)
        .select(rowIf(account, rowOf(identity, userId), sql`${isAsked} and ${hasRoom}`))
        .onConflictDoUpdate({
          target: [account.providerId, account.accountId],
          set: { issuer, updatedAt: new Date() },
          setWhere: eq(account.userId, userId),
        }),
    },
    after: {
      removed: database
        .delete(removedIdentity)
        .where(
          and(
            eq(removedIdentity.userId, userId),
            or(eq(removedIdentity.providerId, providerId), eq(removedIdentity.issuer, issuer)),
            sql`exists (select 1 from ${account} where ${isOwn})`,
          ),
        ),
      added: database.select({ id: account.id }).from(account).where(isOwn),
    },
  })
  letters.send(linked)
  return added.length > 0
}
