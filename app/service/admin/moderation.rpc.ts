import { generateRandomString } from "better-auth/crypto"
import { and, eq, gt, ne, type SQL, sql } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import * as z from "zod"

import { openReset } from "../account/password/password-reset.ts"
import { selectToVerify, signUpOf } from "../account/sign-up/email-verification.ts"
import { ofAdmins } from "../guard/email-allowance.ts"
import type { AuditAction } from "../platform/audit/audit-entry.table.ts"
import { audit } from "../platform/audit/audit.ts"
import {
  formerAddress,
  passkey,
  session,
  suspensionReasons,
  user,
} from "../platform/database/auth.table.ts"
import { sendChange } from "../platform/database/database.ts"
import { failing } from "../platform/http/failure.ts"
import { Email } from "../platform/mail/email-address.ts"
import { endAccess, hasAccess } from "../session/access-ending.ts"
import {
  forgetApp,
  hasApp,
  hasFactor,
  removeAuthenticators,
} from "../session/assurance/authenticators.ts"
import { userIf } from "../session/caller.ts"
import { provenAdmin } from "../session/procedures.ts"
import { ListedUser } from "../session/profile.ts"
import { isUnproven } from "../session/proof.ts"
import {
  act,
  type Acting,
  adminActs,
  ByUser,
  hasRole,
  mayActOn,
  mayNotActOn,
  notFound,
  ownerActs,
  type Refusals,
} from "./act.ts"

/** Milliseconds during which a deletion can be revoked. */
const deletionDelay = 7 * 24 * 60 * 60 * 1000

const suspendUser = adminActs
  .input(ByUser.extend({ reason: z.enum(suspensionReasons) }))
  .handler(({ context, input: { userId, reason }, errors }) => {
    const { database } = context.services
    return act(context, errors, {
      userId,
      action: "suspend",
      detail: reason,
      when: sql`exists (select 1 from user where id = ${userId} and suspended_at is null)`,
      set: { suspendedAt: new Date(), suspendedFor: reason, deleteAt: null },
      notifies: true,
      also: (when) => endAccess(database, { userId, when }),
    })
  })

const unsuspendUser = adminActs.input(ByUser).handler(({ context, input: { userId }, errors }) =>
  act(context, errors, {
    userId,
    action: "unsuspend",
    when: sql`exists (select 1 from user where id = ${userId} and suspended_at is not null)`,
    set: { suspendedAt: null, suspendedFor: null, deleteAt: null },
    notifies: true,
  }),
)

const scheduleDeletion = adminActs
  .input(ByUser.extend({ reason: z.enum(suspensionReasons) }))
  .handler(({ context, input: { userId, reason }, errors }) => {
    const { database } = context.services
    const now = new Date()
    const deleteAt = new Date(now.getTime() + deletionDelay)
    return act(context, errors, {
      userId,
      action: "schedule_deletion",
      detail: reason,
      when: sql`exists (select 1 from user where id = ${userId} and delete_at is null)`,
      set: { suspendedAt: now, suspendedFor: reason, deleteAt },
      notifies: true,
      also: (when) => endAccess(database, { userId, when }),
    })
  })

const cancelDeletion = adminActs.input(ByUser).handler(({ context, input: { userId }, errors }) =>
  act(context, errors, {
    userId,
    action: "cancel_deletion",
    when: sql`exists (select 1 from user where id = ${userId} and delete_at is not null)`,
    set: { deleteAt: null },
    notifies: true,
  }),
)

const endSessions = adminActs
  .input(ByUser.extend({ sessionId: z.string().max(64).optional() }))
  .handler(({ context, input: { userId, sessionId }, errors }) => {
    const { database } = context.services
    const which = and(eq(session.userId, userId), eq(session.id, sessionId ?? ""))
    return act(context, errors, {
      userId,
      action: "end_sessions",
      detail: sessionId ?? "all",
      when:
        sessionId === undefined
          ? hasAccess(userId)
          : sql`exists (select 1 from ${session} where ${which})`,
      notifies: true,
      also: (when) =>
        sessionId === undefined
          ? endAccess(database, { userId, when })
          : { sessions: database.delete(session).where(and(which, when)) },
    })
  })

const sendReset = provenAdmin
  .errors({
    ...notFound,
    ...failing("RESET_PASSWORD_DISABLED", "PASSWORD_OFF"),
  })
  .input(ByUser)
  .output(z.object({ sent: z.literal(true) }))
  .handler(async ({ context, input: { userId }, errors }) => {
    const { configuration, database, emails } = context.services
    if (!configuration.passwords) throw errors.PASSWORD_OFF()
    if (emails === undefined) throw errors.RESET_PASSWORD_DISABLED()
    const [recipient] = await database
      .select({ email: user.email, language: user.language })
      .from(user)
      .where(eq(user.id, userId))
    if (recipient === undefined) throw errors.NOT_FOUND()
    const token = generateRandomString(32)
    await admitEmail(context, errors, {
      ...recipient,
      userId,
      action: "send_reset",
      also: (when) => ({ reset: openReset(database, { token, userId: sql`${userId}`, when }) }),
    })
    emails.sendReset(recipient, token)
    return { sent: true } as const
  })

const sendVerification = provenAdmin
  .errors({ ...notFound, ...failing("VERIFICATION_EMAIL_NOT_ENABLED") })
  .input(ByUser)
  .output(z.object({ sent: z.boolean() }))
  .handler(async ({ context, input: { userId }, errors }) => {
    const { database, emails } = context.services
    if (emails === undefined) throw errors.VERIFICATION_EMAIL_NOT_ENABLED()
    const [recipient] = await selectToVerify(database).where(eq(user.id, userId))
    if (recipient === undefined) throw errors.NOT_FOUND()
    const isOwed = sql`exists (select 1 from user where id = ${userId} and not email_verified)`
    const sending = { ...recipient, userId, action: "send_verification", isOwed } as const
    const isSent = await admitEmail(context, errors, sending)
    if (isSent) emails.sendVerification(recipient, { pages: {}, signUp: signUpOf(recipient) })
    return { sent: isSent }
  })

type Sending = {
  userId: string
  /** The address that was read. No email is sent if the account's address has changed since. */
  email: string
  action: AuditAction
  /** Nothing is counted or written unless this condition is true. */
  isOwed?: SQL
  /** Further statements of the batch. */
  also?: (when: SQL) => Record<string, BatchItem<"sqlite">>
}

/** Counts an email that an admin sends, with its audit entry. Returns whether it will be sent. */
async function admitEmail(
  { services: { database, attempts }, member, isSignedIn }: Acting,
  errors: Refusals & { TOO_MANY_REQUESTS: () => Error },
  { userId, email, action, isOwed = sql`true`, also }: Sending,
) {
  const isTheirs = sql`exists (select 1 from user where id = ${userId} and email = ${email})`
  const mayAct = sql`${mayActOn(member.id, userId)} and ${isSignedIn} and ${isTheirs}`
  const mayCount = sql`${mayAct} and ${isOwed}`
  const when = sql`${mayCount} and ${attempts.isWithin("email", ofAdmins(email))}`
  const { isAllowed, counted } = await sendChange(database, {
    before: {
      isAllowed: userIf(database, member.id, mayAct),
      counted: attempts.count("email", ofAdmins(email), mayCount),
      entry: audit({ database, actorId: member.id, subjectId: userId, action, when }),
    },
    change: { ...also?.(when) },
  })
  if (isAllowed.length === 0) throw errors.FORBIDDEN({ message: mayNotActOn })
  if (counted.length === 0) return false
  if (!attempts.admits("email", counted)) throw errors.TOO_MANY_REQUESTS()
  return true
}

const resetSecondFactor = ownerActs
  .input(ByUser)
  .handler(({ context, input: { userId }, errors }) => {
    const { services, member } = context
    const { database } = services
    const passkeysAlone = sql`not ${hasApp(userId)}`
    return act(context, errors, {
      userId,
      action: "reset_second_factor",
      when: hasFactor(userId),
      mayAct: sql`${mayActOn(member.id, userId)} and ${hasRole(member, sql`= 'owner'`)}`,
      set: { secondFactorSince: null },
      notifies: true,
      also: (when) => ({
        ...endAccess(database, { userId, when }),
        ...forgetApp(database, userId, when),
        // Must be last, because the other statements depend on these rows.
        passkeys: database
          .delete(passkey)
          .where(and(eq(passkey.userId, userId), when, passkeysAlone)),
      }),
    })
  })

/** Condition on a row of `user`: another account has this address. */
function isOther(userId: string, email: string) {
  return and(eq(user.email, email), ne(user.id, userId))
}

/** Condition: the account's former address is still kept, and no account of another user has verified it. */
function mayHaveBack(userId: string, email: string) {
  const isTheirs = and(
    eq(formerAddress.userId, userId),
    eq(formerAddress.email, email),
    gt(formerAddress.until, new Date()),
  )
  return sql`exists (select 1 from ${formerAddress} where ${isTheirs})
    and not exists (select 1 from ${user} where ${isOther(userId, email)} and not ${isUnproven})`
}

const recoverAccount = provenAdmin
  .errors({
    ...notFound,
    ...failing("RESET_PASSWORD_DISABLED", "FORMER_ADDRESS_GONE"),
  })
  .input(ByUser.extend({ formerEmail: Email.optional() }))
  .output(ListedUser)
  .handler(async ({ context, input: { userId, formerEmail: email }, errors }) => {
    const { services, member } = context
    const { configuration, database, emails } = services
    if (emails === undefined) throw errors.RESET_PASSWORD_DISABLED()
    const token = generateRandomString(32)
    const recovered = await act(context, errors, {
      userId,
      action: "recover_account",
      when: sql`true`,
      ...(email !== undefined && {
        detail: "former address",
        when: mayHaveBack(userId, email),
        mayAct: sql`${mayActOn(member.id, userId)} and ${hasRole(member, sql`= 'owner'`)}`,
        refusal: errors.FORMER_ADDRESS_GONE,
      }),
      set: { secondFactorSince: null, ...(email !== undefined && { email, emailVerified: true }) },
      notifies: true,
      also: (when) => ({
        // An unverified sign-up must not keep the address from its owner.
        unproven:
          email === undefined
            ? undefined
            : database
                .delete(user)
                .where(sql`${isOther(userId, email)} and ${isUnproven} and ${when}`),
        ...endAccess(database, { userId, when }),
        ...removeAuthenticators(database, userId, { when }),
        reset: configuration.passwords
          ? openReset(database, { token, userId: sql`${userId}`, when })
          : undefined,
      }),
    })
    if (configuration.passwords) emails.sendReset(recovered, token)
    return recovered
  })

export const moderation = {
  suspendUser,
  unsuspendUser,
  scheduleDeletion,
  cancelDeletion,
  endSessions,
  sendReset,
  sendVerification,
  resetSecondFactor,
  recoverAccount,
}
