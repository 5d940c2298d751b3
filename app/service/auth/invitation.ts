import { createHash } from "node:crypto"

import { and, eq, gt } from "drizzle-orm"

import { invitation } from "./invitation.table.ts"

/** Milliseconds. */
export const invitationLifetime = 7 * 24 * 60 * 60 * 1000

export function hashOfInvitation(token: string) {
  return createHash("sha256").update(`invitation:${token}`).digest("base64url")
}

/** Condition on a row of `invitation`: it still invites the address. */
export function invites(email: string) {
  return and(eq(invitation.email, email), gt(invitation.expiresAt, new Date()))
}
