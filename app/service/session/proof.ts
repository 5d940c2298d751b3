import { createHash } from "node:crypto"

import { and, eq, gt, sql, type SQL } from "drizzle-orm"

import { invitation, removedIdentity, user } from "../platform/database/auth.table.ts"
import type { Database } from "../platform/database/database.ts"
import { endAccess } from "./access-ending.ts"
import { removeAuthenticators } from "./assurance/authenticators.ts"

/**
 * SQL condition: the account is a pending sign-up, never verified, and not used since verification was turned off. The
 * next sign-up or the sweep removes it.
 */
export const unproven = `("user"."email_verified" = 0 and "user"."unproven_since" is not null
  and not exists (select 1 from session where session.user_id = "user"."id"))`

export const isUnproven = sql.raw(unproven)

/** Columns of an account once its owner has verified the address. */
const isProven = { emailVerified: true, unprovenSince: null, secondFactorSince: null }

/** Condition for an account whose address is unverified: its contents may be a stranger's. */
export const isOpen = sql`(${user.emailVerified} = 0 or ${user.unprovenSince} is not null)`

/** Condition: the account's address is verified. An unverified address may be another person's. */
export function hasProven(userId: string) {
  return sql`exists (select 1 from ${user} where ${user.id} = ${userId} and not ${isOpen})`
}

/** Default name of an account: the local part of its address. */
export const localPart = sql`substr(${user.email}, 1, instr(${user.email}, '@') - 1)`

type Proof = {
  userId: string | SQL<string>
  /** Condition of every statement. Default: true. */
  when?: SQL
  /** Condition on a row of `account`: the sign-in methods of the verified owner. */
  keeps: SQL
  profile: { name: SQL | string; image: SQL | string | null }
  keepsSession?: string
  /** Whether to end sessions and resets even if the address was verified before, as for a new password. */
  endsAccess?: boolean
}

/**
 * Returns the statements for an owner who verifies the address of an unverified account, by email or with a provider
 * that is authoritative for it. They remove everything that could let another person sign in, lock the owner out or be
 * recognized: identities, passwords, passkeys and second factors, sessions, pending resets, removed identities, name
 * and image. Other data stays. `proven` is last, because the other statements require an unverified account.
 */
export function prove(database: Database, proof: Proof) {
  const { userId, when = sql`true`, keeps, keepsSession, profile, endsAccess = false } = proof
  const open = sql`exists (select 1 from ${user} where ${user.id} = ${userId} and ${isOpen}) and ${when}`
  return {
    ...removeAuthenticators(database, userId, { when: open, keeps }),
    ...endAccess(database, {
      userId,
      when: endsAccess ? when : open,
      ...(keepsSession !== undefined && { keeps: { sessionId: keepsSession } }),
    }),
    removed: database.delete(removedIdentity).where(and(eq(removedIdentity.userId, userId), open)),
    proven: database
      .update(user)
      .set({ ...profile, ...isProven, updatedAt: new Date() })
      .where(and(eq(user.id, userId), isOpen, when)),
  }
}

/** Milliseconds. */
export const invitationLifetime = 7 * 24 * 60 * 60 * 1000

export function hashOfInvitation(token: string) {
  return createHash("sha256").update(`invitation:${token}`).digest("base64url")
}

/** Condition on a row of `invitation`: it is for the address, has not expired, and its sender may still invite. */
export function invites(email: string) {
  const mayInvite = sql`exists (select 1 from ${user} as inviter where inviter.id = ${invitation.invitedBy}
    and inviter.role <> 'member' and inviter.suspended_at is null)`
  return and(eq(invitation.email, email), gt(invitation.expiresAt, new Date()), mayInvite)
}
