import { and, eq, ne, sql } from "drizzle-orm"
import * as z from "zod"

import { emailAllowance } from "../../guard/email-allowance.ts"
import { isSmokeAddress } from "../../guard/smoke.ts"
import { account, formerAddress, user, verification } from "../../platform/database/auth.table.ts"
import { createId, rowIf, sendChange, sendNamed } from "../../platform/database/database.ts"
import { failing } from "../../platform/http/failure.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { endAccess } from "../../session/access-ending.ts"
import { provenMember } from "../../session/procedures.ts"
import { Profile } from "../../session/profile.ts"
import { hasProven, isUnproven } from "../../session/proof.ts"
import { Code, createCode, isCodeOf, openCode } from "../../sign-in/code/emailed-code.ts"

/** Milliseconds for which admins find an account by a previous address. */
const memory = 30 * 24 * 60 * 60 * 1000

const kind = "address_code" as const

/** Condition: an account has the address. An unverified pending sign-up is ignored. */
function takenBy(email: string) {
  return and(eq(user.email, email), sql`not (${isUnproven})`)
}

const changeEmail = provenMember
  .errors(
    failing(
      "TOO_MANY_ATTEMPTS",
      "EMAIL_NOT_VERIFIED",
      "RESERVED_ADDRESS",
      "VERIFICATION_EMAIL_NOT_ENABLED",
    ),
  )
  .input(z.strictObject({ newEmail: Email }))
  .output(z.object({ sent: z.literal(true) }))
  .handler(async ({ context, input: { newEmail: email }, errors }) => {
    const { services, member, token, isSignedIn } = context
    const { database, attempts, emails, configuration } = services
    if (emails === undefined) throw errors.VERIFICATION_EMAIL_NOT_ENABLED()
    // The sweep deletes the accounts of a release by address, and would delete such a member.
    if (isSmokeAddress(email) || isSmokeAddress(member.email)) throw errors.RESERVED_ADDRESS()
    const code = createCode()
    const codeInput = {
      keys: configuration.keys,
      kind,
      from: [token, email],
      code,
      userId: member.id,
    }
    const mayAsk = sql`${isSignedIn} and ${hasProven(member.id)}`
    const isWithin = sql`${mayAsk} and ${attempts.isWithin("address", member.id)}`
    // Counted for each member, so that other requesters cannot use up the owner's allowance.
    const allowance = emailAllowance(attempts, {
      email,
      kind: "email",
      headers: context.headers,
      subject: `${email} ${member.id}`,
      isOwed: sql`true`,
      when: isWithin,
    })
    const { allowed, counted, letters, taken } = await sendNamed(database, {
      allowed: database
        .select({ hasProven: sql<number>`${hasProven(member.id)}` })
        .from(user)
        .where(and(eq(user.id, member.id), isSignedIn)),
      counted: attempts.count("address", member.id, mayAsk),
      letters: allowance.counts,
      // A taken address is treated the same, so that the response takes the same time.
      code: openCode(database, codeInput, isWithin),
      taken: database.select({ id: user.id }).from(user).where(takenBy(email)),
    })
    if (allowed[0] === undefined) throw errors.UNAUTHORIZED()
    if (allowed[0].hasProven === 0) throw errors.EMAIL_NOT_VERIFIED()
    if (!attempts.admits("address", counted)) throw errors.TOO_MANY_ATTEMPTS()
    if (allowance.admits(letters)) {
      if (taken[0] === undefined) emails.sendAddressCode(email, code)
      else emails.sendExisting({ email })
    }
    return { sent: true } as const
  })

const confirmEmail = provenMember
  .errors(failing("TOO_MANY_ATTEMPTS", "INVALID_CODE", "EMAIL_TAKEN"))
  .input(
    z.strictObject({
      newEmail: Email,
      code: Code,
    }),
  )
  .output(Profile)
  .handler(async ({ context, input: { newEmail: email, code }, errors }) => {
    const { services, member, token, isSignedIn } = context
    const { database, attempts, configuration, letters } = services
    const userId = member.id
    const codeInput = {
      keys: configuration.keys,
      kind,
      from: [token, email],
      code,
      userId,
    } as const
    const isRight = isCodeOf(codeInput)
    const mayChange = sql`exists (select 1 from ${verification} where ${isRight})
      and ${attempts.isWithin("address code", userId)} and ${isSignedIn}`
    const isFree = sql`${mayChange} and not exists (select 1 from ${user} where ${user.email} = ${email})`
    const changes = sql`${isFree} and ${attempts.isWithin("leaving", member.email)}`
    const id = createId("audit_entry")
    // The batch also deletes all pending codes. The condition is therefore the row that this batch stores.
    const hasChanged = sql`exists (select 1 from ${formerAddress} where ${formerAddress.id} = ${id})`
    const formerRow = {
      id,
      userId,
      email: sql`(select ${user.email} from ${user} where ${user.id} = ${userId})`,
      until: new Date(Date.now() + memory),
    }
    const { tried, found, left, changed, entry } = await sendChange(database, {
      before: {
        tried: attempts.count("address code", userId, isSignedIn),
        found: database.select({ id: verification.id }).from(verification).where(isRight),
        // The owner of a mailbox takes precedence over an account that only named its address.
        unproven: database
          .delete(user)
          .where(and(eq(user.email, email), ne(user.id, userId), isUnproven, mayChange)),
        // Limits how often an address is left: the next account with it could be left in the same way.
        left: attempts.count("leaving", member.email, isFree),
        entry: letters.note(context.headers, { id, action: "change_email", userId, when: changes }),
      },
      change: {
        former: database.insert(formerAddress).select(rowIf(formerAddress, formerRow, changes)),
        // Invalidates the marks of browsers that signed in with the previous address.
        marks: database
          .update(account)
          .set({ updatedAt: new Date() })
          .where(and(eq(account.userId, userId), eq(account.providerId, "credential"), changes)),
        changed: database
          .update(user)
          .set({ email, emailVerified: true, updatedAt: new Date() })
          .where(and(eq(user.id, userId), changes))
          .returning({ email: user.email, emailVerified: user.emailVerified }),
      },
      after: { ...endAccess(database, { userId, keeps: { token }, when: hasChanged }) },
    })
    if (!attempts.admits("address code", tried)) throw errors.TOO_MANY_ATTEMPTS()
    if (found[0] === undefined) throw errors.INVALID_CODE()
    if (left[0] !== undefined && !attempts.admits("leaving", left)) throw errors.TOO_MANY_ATTEMPTS()
    // Only a user who has verified the mailbox gets this error.
    if (changed[0] === undefined) throw errors.EMAIL_TAKEN()
    letters.send(entry)
    return { ...member, ...changed[0] }
  })

export const addresses = { changeEmail, confirmEmail }
