import { and, eq, sql, type SQL } from "drizzle-orm"

import type { AuditAction } from "../../admin/audit-entry.table.ts"
import { auditOwn } from "../../admin/audit.ts"
import { type Database, rowIf, sendNamed } from "../../database/database.ts"
import { accountRow, hasApp, hasFactor } from "../assurance/authenticators.ts"
import { account, invitation, removedIdentity, user } from "../auth.table.ts"
import type { Dependencies } from "../endpoint.ts"
import { invites, isOpen, isUnproven } from "../proof.ts"
import { suspension } from "../session-opening.ts"

/** How many identities without an issuer one sign-in binds: D1 limits a statement's time. */
const boundAtOnce = 1000

/** Whom a provider names: a subject of an issuer. */
export type Identity = { providerId: string; issuer: string; subject: string }

/** Of an account that a provider opens no more by itself, or not at all. */
const state = {
  email: user.email,
  suspension,
  hasApp: sql<number>`${hasApp(sql`${user.id}`)}`,
  hasFactor: sql<number>`${hasFactor(sql`${user.id}`)}`,
}

/** The account that has the identity, and the one that has the address. */
export async function findOwners(
  { database, configuration }: Pick<Dependencies, "configuration" | "database">,
  identity: Identity,
  email: string,
) {
  const { providerId, subject } = identity
  const { byIdentity, byAddress, invited } = await sendNamed(database, {
    invited:
      configuration.signUp === "invited"
        ? database.select({ id: invitation.id }).from(invitation).where(invites(email))
        : undefined,
    byIdentity: database
      .select({
        id: account.id,
        // Not the user's own: of two columns with one name a batch returns one.
        userId: account.userId,
        issuer: account.issuer,
        ...state,
      })
      .from(account)
      .innerJoin(user, eq(user.id, account.userId))
      .where(and(eq(account.providerId, providerId), eq(account.accountId, subject))),
    byAddress: database
      .select({
        isOpen: sql<number>`${isOpen}`,
        isUnproven: sql<number>`${isUnproven}`,
        mayJoin: sql<number>`${mayJoin(email, identity)}`,
        userId: user.id,
        ...state,
      })
      .from(user)
      .where(eq(user.email, email)),
  })
  return { known: byIdentity[0], named: byAddress[0], isInvited: invited?.[0] !== undefined }
}

/**
 * Condition for an identity that comes to an account by its address alone: not where the provider, under
 * whatever id, has named another as the owner of the address, and not where the owner has removed it.
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

/** Statements that link an identity to the account of its address, with the entry and the e-mail that is owed. */
export function joinIdentity(
  { database, letters }: Pick<Dependencies, "database" | "letters">,
  { email, identity, headers, when, newId }: Joining,
) {
  const { providerId, issuer, subject: accountId } = identity
  const userId = ownerOf(email)
  const row = accountRow({ userId, providerId, accountId, issuer })
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
        detail: providerId,
        when: sql`exists (select 1 from ${account} where ${account.id} = ${row.id})`,
        headers,
        letter: letters.owed(hasOther(userId, row.id)),
      }),
    },
  }
}

/** Condition: there is another way in than the account row of the id. */
function hasOther(userId: string | SQL, id: string) {
  return sql`exists (select 1 from ${account} where ${account.userId} = ${userId} and ${account.id} <> ${id})`
}

/**
 * Statements for a row that is older than the column of issuers, once its owner has come with the address
 * of the account: they bind its identity, and the others of the provider, which have the same issuer.
 */
export function bindIssuer(database: Database, { providerId, issuer }: Identity, id: string) {
  const unbound = sql`${account.providerId} = ${providerId} and ${account.issuer} is null
    and ${account.providerId} <> 'credential'`
  const some = sql`(select ${account.id} from ${account} where ${unbound} limit ${boundAtOnce})`
  const update = database.update(account)
  return {
    bound: update.set({ issuer }).where(sql`${account.id} = ${id} and ${unbound}`),
    others: update.set({ issuer }).where(sql`${account.id} in ${some}`),
  }
}
