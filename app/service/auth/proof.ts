import { createHash } from "node:crypto"

import { and, eq, gt, sql, type SQL } from "drizzle-orm"

import type { Database } from "../database/database.ts"
import { endAccess } from "./access-ending.ts"
import { removeAuthenticators } from "./assurance/authenticators.ts"
import { invitation, removedIdentity, user } from "./auth.table.ts"

/**
 * SQL condition for a sign-up that nobody has proven, nor used since verification was switched off: it is
 * nobody's account, so the next sign-up or the sweep takes it away.
 */
export const unproven = `("user"."email_verified" = 0 and "user"."unproven_since" is not null
  and not exists (select 1 from session where session.user_id = "user"."id"))`

export const isUnproven = sql.raw(unproven)

/** What an account is once its owner has shown that the address is theirs. */
const isProven = { emailVerified: true, unprovenSince: null, secondFactorSince: null }

/** Condition for an account whose address nobody has proven: whatever is in it may be somebody else's. */
export const isOpen = sql`(${user.emailVerified} = 0 or ${user.unprovenSince} is not null)`

/** Condition: the account has proven its address. Of another one the owner may still come. */
export function hasProven(userId: string) {
  return sql`exists (select 1 from ${user} where ${user.id} = ${userId} and not ${isOpen})`
}

/** What an account is called whose owner has given no name. */
export const localPart = sql`substr(${user.email}, 1, instr(${user.email}, '@') - 1)`

type Proof = {
  userId: string | SQL<string>
  /** The statements change nothing unless this holds, as long as they run. */
  when?: SQL
  /** Condition on a row of `account`: the ways in that the owner brings with the proof. */
  keeps: SQL
  profile: { name: SQL | string; image: SQL | string | null }
  keepsSession?: string
  /** Whether sessions and resets end also where the address was proven before, as for a new password. */
  endsAccess?: boolean
}

/**
 * Statements for whoever proves to own the address of an open account, by a letter or by a provider that
 * is its authority. Nothing stays by which somebody else may get in, keep the owner out or show themselves:
 * identities, passwords, passkeys and second factors, sessions, resets under way, identities that were removed,
 * name and image. The rest of the account's data stays. `proven` is the last, because the others ask whether the account is open.
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

/** Condition on a row of `invitation`: it still invites the address, and who has sent it could send it now. */
export function invites(email: string) {
  const mayInvite = sql`exists (select 1 from ${user} as inviter where inviter.id = ${invitation.invitedBy}
    and inviter.role <> 'member' and inviter.suspended_at is null)`
  return and(eq(invitation.email, email), gt(invitation.expiresAt, new Date()), mayInvite)
}
