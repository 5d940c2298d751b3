import { createHash } from "node:crypto"

import { and, eq, gt, sql } from "drizzle-orm"

import { invitation, user } from "./auth.table.ts"

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
