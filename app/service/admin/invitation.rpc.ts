import { generateRandomString } from "better-auth/crypto"
import { and, desc, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { ofAdmins } from "../guard/email-allowance.ts"
import { isSmokeAddress } from "../guard/smoke.ts"
import { audit } from "../platform/audit/audit.ts"
import { invitation, user } from "../platform/database/auth.table.ts"
import { createId, rowIf, sendChange } from "../platform/database/database.ts"
import { failing } from "../platform/http/failure.ts"
import { Email } from "../platform/mail/email-address.ts"
import { after, pageFrom, pageOf, Paging } from "../platform/rpc/pagination.ts"
import { userIf } from "../session/caller.ts"
import { admin, adminReader, isAdmin, provenAdmin } from "../session/procedures.ts"
import { hashOfInvitation, invitationLifetime, isUnproven } from "../session/proof.ts"
import { type Acting, hasRole } from "./act.ts"

const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  invitedBy: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

/** Returns the caller's permission: a condition, and a statement that returns a row while it lasts. */
function leaveOf({ services: { database }, member, isSignedIn }: Acting) {
  const mayAct = sql`${hasRole(member, sql`<> 'member'`)} and ${isSignedIn}`
  return { mayAct, isAllowed: userIf(database, member.id, mayAct) }
}

const inviteUser = provenAdmin
  .errors(
    failing(
      "VERIFICATION_EMAIL_NOT_ENABLED",
      "SIGN_UP_CLOSED",
      "RESERVED_ADDRESS",
      "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
    ),
  )
  .input(z.strictObject({ email: Email }))
  .output(Invitation)
  .handler(async ({ context, input: { email }, errors }) => {
    const { database, attempts, emails, configuration } = context.services
    if (configuration.signUp === "closed") throw errors.SIGN_UP_CLOSED()
    if (emails === undefined) throw errors.VERIFICATION_EMAIL_NOT_ENABLED()
    if (isSmokeAddress(email)) throw errors.RESERVED_ADDRESS()
    const { mayAct, isAllowed } = leaveOf(context)
    const token = generateRandomString(32)
    const createdAt = new Date()
    const row = {
      id: createId("invitation"),
      email,
      hash: hashOfInvitation(token),
      invitedBy: context.member.id,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + invitationLifetime),
    }
    const isTaken = sql`${user.email} = ${email} and not ${isUnproven}`
    const isFree = sql`${mayAct} and not exists (select 1 from ${user} where ${isTaken})`
    const when = sql`${isFree} and ${attempts.isWithin("email", ofAdmins(email))}`
    const { email: _email, ...renewed } = row
    const {
      isAllowed: allowed,
      taken,
      counted,
    } = await sendChange(database, {
      before: {
        isAllowed,
        taken: database.select({ id: user.id }).from(user).where(isTaken),
        counted: attempts.count("email", ofAdmins(email), isFree),
        entry: audit({
          database,
          actorId: context.member.id,
          action: "invite",
          detail: row.id,
          when,
        }),
      },
      change: {
        invitation: database
          .insert(invitation)
          .select(rowIf(invitation, row, when))
          .onConflictDoUpdate({
            target: invitation.email,
            set: renewed,
            // A delayed statement must not replace a newer invitation whose email was sent.
            setWhere: sql`${invitation.createdAt} < excluded.created_at`,
          }),
      },
    })
    if (allowed.length === 0) throw errors.FORBIDDEN()
    if (taken.length > 0) throw errors.USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL()
    if (!attempts.admits("email", counted)) throw errors.TOO_MANY_REQUESTS()
    emails.sendInvitation(email, token)
    return row
  })

const revokeInvitation = admin
  .errors({ NOT_FOUND: { status: 404, message: "Invitation not found" } })
  .input(z.strictObject({ invitationId: z.string().max(64) }))
  .output(Invitation)
  .handler(async ({ context, input: { invitationId: id }, errors }) => {
    const { database } = context.services
    const { mayAct, isAllowed } = leaveOf(context)
    const { isAllowed: allowed, revoked } = await sendChange(database, {
      before: {
        isAllowed,
        entry: audit({
          database,
          actorId: context.member.id,
          action: "revoke_invitation",
          detail: id,
          when: sql`exists (select 1 from ${invitation} where ${invitation.id} = ${id}) and ${mayAct}`,
        }),
      },
      change: {
        revoked: database
          .delete(invitation)
          .where(and(eq(invitation.id, id), mayAct))
          .returning(),
      },
    })
    if (allowed.length === 0) throw errors.FORBIDDEN()
    if (revoked[0] === undefined) throw errors.NOT_FOUND()
    return revoked[0]
  })

const listInvitations = adminReader
  .route({ method: "GET" })
  .input(Paging)
  .output(pageOf(Invitation))
  .handler(async ({ context, input: { limit, cursor } }) => {
    const { database } = context.services
    const {
      results: [rows],
    } = await context.ask((callerId) => [
      database
        .select()
        .from(invitation)
        .where(and(isAdmin(callerId), after(invitation, cursor)))
        .orderBy(desc(invitation.createdAt), desc(invitation.id))
        .limit(limit + 1),
    ])
    return pageFrom(rows, limit)
  })

export const invitations = { inviteUser, revokeInvitation, listInvitations }
