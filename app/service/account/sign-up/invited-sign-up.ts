import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"

import { audit } from "../../platform/audit/audit.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { account, invitation, user } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { credentialRow } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import type { SessionUser } from "../../session/profile.ts"
import { hashOfInvitation, invites, isUnproven } from "../../session/proof.ts"
import { enterAccount, openSession } from "../../session/session-opening.ts"

type Invited = {
  /** Token from the email. */
  token: string
  /** The user who signs up, and the hash of their password. */
  row: z.infer<typeof SessionUser>
  hash: string
  forgets: boolean
}

/**
 * Signs up the holder of an invitation, and signs them in. The emailed invitation has verified the address, so no
 * further email is needed, and everything that strangers set for the address is removed.
 */
export async function acceptInvitation(
  context: EndpointContext,
  dependencies: Pick<Dependencies, "configuration" | "database" | "marks">,
  { token, row, hash, forgets }: Invited,
) {
  const { database } = dependencies
  const proven = { ...row, emailVerified: true, unprovenSince: null }
  const isNamed = and(invites(row.email), eq(invitation.hash, hashOfInvitation(token)))
  const isInvited = sql`exists (select 1 from ${invitation} where ${isNamed})`
  const when = sql`exists (select 1 from ${user} where ${user.id} = ${row.id})`
  const opened = await openSession(context, { database, userId: row.id, forgets, when })
  const { invited, open } = await sendChange(database, {
    before: { invited: database.select({ id: invitation.id }).from(invitation).where(isNamed) },
    change: {
      unproven: database.delete(user).where(and(eq(user.email, row.email), isUnproven, isInvited)),
      open: database
        .insert(user)
        .select(rowIf(user, proven, isInvited))
        .onConflictDoNothing()
        .returning({ id: user.id }),
      account: database.insert(account).select(rowIf(account, credentialRow(row.id, hash), when)),
    },
    after: {
      entry: audit({
        database,
        action: "sign_up",
        detail: "invitation",
        actorId: null,
        subjectId: row.id,
        when,
        headers: context.headers,
      }),
      ...opened.statements,
      spent: database.delete(invitation).where(and(isNamed, when)),
    },
  })
  if (invited[0] === undefined) throw createApiError("INVITATION_REQUIRED")
  // Only the holder of the email gets this error.
  if (open[0] === undefined) throw createApiError("USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")
  const member = { ...row, emailVerified: true }
  return enterAccount(context, dependencies, { row: opened.row, owner: member })
}
