import { createHash } from "node:crypto"

import { and, eq, gt, sql } from "drizzle-orm"

import { user } from "./auth.table.ts"
import { invitation } from "./invitation.table.ts"

/** Milliseconds. */
export const invitationLifetime = 7 * 24 * 60 * 60 * 1000

export function hashOfInvitation(token: string) {
  return createHash("sha256").update(`invitation:${token}`).digest("base64url")
}

/** Condition on a row of `invitation`: it still invites the address. While its admin is suspended, it does not. */
export function invites(email: string) {
  const isSuspended = sql`exists (select 1 from ${user} as inviter
    where inviter.id = ${invitation.invitedBy} and inviter.suspended_at is not null)`
  return and(
    eq(invitation.email, email),
    gt(invitation.expiresAt, new Date()),
    sql`not ${isSuspended}`,
  )
}
