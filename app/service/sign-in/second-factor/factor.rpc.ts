import { and, eq, isNull, not, sql } from "drizzle-orm"
import * as z from "zod"

import { secondFactor, session, trustedBrowser, user } from "../../platform/database/auth.table.ts"
import { rowIf, sendChange, sendNamed } from "../../platform/database/database.ts"
import { failing } from "../../platform/http/failure.ts"
import { endAccess } from "../../session/access-ending.ts"
import { mustHaveFactor } from "../../session/assurance/assurance.ts"
import { forgetApp, hasApp, hasFactor } from "../../session/assurance/authenticators.ts"
import { userIf } from "../../session/caller.ts"
import { member, provenMember } from "../../session/procedures.ts"
import { hasProven } from "../../session/proof.ts"
import { AppCode } from "./factor-check.ts"
import { sealSecret } from "./factor-seal.ts"
import { createCodes, replaceCodes, showingCodes } from "./recovery-codes.ts"
import { createSecret, shownSecret, stepOf } from "./totp.ts"

const kind = "totp_enrolment"

const Enrolment = z.object({ secret: z.string(), userId: z.string(), token: z.string() })

const RecoveryCodes = z.object({
  recoveryCodes: z.array(z.string()),
})

const offered = failing("SECOND_FACTOR_NOT_OFFERED", "EMAIL_NOT_VERIFIED")

const beginTotp = provenMember
  .errors(offered)
  .input(z.strictObject({}))
  .output(
    z.object({
      secret: z.string(),
      uri: z.string(),
      enrolment: z.string(),
    }),
  )
  .handler(async ({ context, errors }) => {
    const { services, member: account, token } = context
    const { keys, secondFactor: isOffered, siteName, webUrl } = services.configuration
    if (!isOffered) throw errors.SECOND_FACTOR_NOT_OFFERED()
    if (!account.emailVerified) throw errors.EMAIL_NOT_VERIFIED()
    const secret = createSecret()
    const issuer = siteName ?? new URL(webUrl).hostname
    return {
      ...shownSecret(secret, { issuer, email: account.email }),
      enrolment: await keys.seal(kind, { secret, userId: account.id, token }),
    }
  })

const confirmTotp = provenMember
  .errors({ ...offered, ...failing("INVALID_CODE") })
  .input(z.strictObject({ enrolment: z.string().max(1000), code: AppCode }))
  .output(RecoveryCodes)
  .handler(async ({ context, input, errors }) => {
    const { services, member: account, token, isSignedIn } = context
    const { configuration, database, letters } = services
    if (!configuration.secondFactor) throw errors.SECOND_FACTOR_NOT_OFFERED()
    const opened = await configuration.keys.open(kind, input.enrolment)
    const { data } = Enrolment.safeParse(opened?.claims)
    const isTheirs = data?.userId === account.id && data.token === token
    if (opened?.isExpired !== false || !isTheirs) throw errors.INVALID_CODE()
    const step = await stepOf(data.secret, input.code)
    if (step === undefined) throw errors.INVALID_CODE()
    const userId = account.id
    const now = new Date()
    const sealed = await sealSecret(configuration, userId, data.secret)
    const changes = { ...sealed, lastStep: step, confirmedAt: now, createdAt: now }
    const recoveryCodes = createCodes()
    // True only if this request's sealed secret was stored.
    const when = sql`exists (select 1 from ${secondFactor} where ${secondFactor.userId} = ${userId}
      and ${secondFactor.secret} = ${sealed.secret})`
    const entry = await showingCodes(database, userId, async (isUnchanged) => {
      const mayTurnOn = sql`${isSignedIn} and ${hasProven(userId)} and ${isUnchanged}`
      const { stored, noted } = await sendChange(database, {
        change: {
          stored: database
            .insert(secondFactor)
            .select(rowIf(secondFactor, { userId, ...changes }, mayTurnOn))
            .onConflictDoUpdate({
              target: secondFactor.userId,
              // A repeated request may contain an older code than the last accepted code.
              set: { ...changes, lastStep: sql`max(${secondFactor.lastStep}, ${step})` },
            })
            .returning({ userId: secondFactor.userId }),
          on: database
            .update(user)
            .set({ secondFactorSince: now })
            .where(and(eq(user.id, userId), isNull(user.secondFactorSince), when)),
          ...replaceCodes(database, userId, recoveryCodes, when),
          ...endAccess(database, { userId, keeps: { token }, when }),
          session: database
            .update(session)
            .set({ factor: "totp", provenAt: now })
            .where(and(eq(session.token, token), when)),
        },
        after: {
          noted: letters.note(context.headers, { action: "second_factor_on", userId, when }),
        },
      })
      return stored[0] && noted
    })
    if (entry === undefined) throw errors.EMAIL_NOT_VERIFIED()
    letters.send(entry)
    return { recoveryCodes }
  })

const off = failing("SECOND_FACTOR_OFF")

const renewRecoveryCodes = provenMember
  .errors(off)
  .input(z.strictObject({}))
  .output(RecoveryCodes)
  .handler(async ({ context, errors }) => {
    const { services, member: account, isSignedIn } = context
    const { database, letters } = services
    const recoveryCodes = createCodes()
    const entry = await showingCodes(database, account.id, async (isUnchanged) => {
      const when = sql`${isSignedIn} and ${hasApp(account.id)} and ${isUnchanged}`
      const { noted, found } = await sendChange(database, {
        before: {
          found: userIf(database, account.id, when),
          noted: letters.note(context.headers, {
            action: "recovery_codes_renewed",
            userId: account.id,
            when,
          }),
        },
        change: { ...replaceCodes(database, account.id, recoveryCodes, when) },
      })
      return found[0] && noted
    })
    if (entry === undefined) throw errors.SECOND_FACTOR_OFF()
    letters.send(entry)
    return { recoveryCodes }
  })

const turnOffSecondFactor = provenMember
  .errors({ ...off, ...failing("SECOND_FACTOR_MANDATORY") })
  .input(z.strictObject({}))
  .output(z.object({ off: z.literal(true) }))
  .handler(async ({ context, errors }) => {
    const { services, member: account, token, isSignedIn } = context
    const { configuration, database, letters } = services
    const userId = account.id
    const isHeld = mustHaveFactor(configuration, userId)
    const when = sql`${isSignedIn} and ${hasApp(userId)} and not ${isHeld}`
    const { held, found, entry } = await sendChange(database, {
      before: {
        held: userIf(database, userId, isHeld),
        found: userIf(database, userId, when),
        entry: letters.note(context.headers, { action: "second_factor_off", userId, when }),
      },
      change: {
        ...endAccess(database, { userId, keeps: { token }, when }),
        ...forgetApp(database, userId, when),
        off: database
          .update(user)
          .set({ secondFactorSince: null })
          .where(and(eq(user.id, userId), when)),
      },
      after: {
        // The session loses its factor unless a passkey remains.
        session: database
          .update(session)
          .set({ factor: null })
          .where(and(eq(session.token, token), not(hasFactor(userId)))),
      },
    })
    if (held[0] !== undefined) throw errors.SECOND_FACTOR_MANDATORY()
    if (found[0] === undefined) throw errors.SECOND_FACTOR_OFF()
    letters.send(entry)
    return { off: true } as const
  })

const forgetBrowsers = member
  .input(z.strictObject({ browserId: z.string().max(64).optional() }))
  .output(z.object({ forgotten: z.int() }))
  .handler(async ({ context, input: { browserId }, errors }) => {
    const { services, member: account, isSignedIn } = context
    const { database } = services
    const which = and(
      eq(trustedBrowser.userId, account.id),
      browserId === undefined ? undefined : eq(trustedBrowser.hash, browserId),
    )
    const { signedIn, forgotten } = await sendNamed(database, {
      signedIn: userIf(database, account.id, isSignedIn),
      forgotten: database
        .delete(trustedBrowser)
        .where(and(which, isSignedIn))
        .returning({ id: trustedBrowser.hash }),
    })
    if (signedIn[0] === undefined) throw errors.UNAUTHORIZED()
    return { forgotten: forgotten.length }
  })

export const secondFactors = {
  beginTotp,
  confirmTotp,
  renewRecoveryCodes,
  turnOffSecondFactor,
  forgetBrowsers,
}
