import { eq, sql, type SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import * as z from "zod"

import type { EndpointContext } from "../platform/cookie/host-cookie.ts"
import { type Factor, session, verification } from "../platform/database/auth.table.ts"
import { sendChange, sendNamed } from "../platform/database/database.ts"
import { createApiError, type FailureCode } from "../platform/http/failure.ts"
import {
  assuredSession,
  createStepUpError,
  needsNoFactor,
  stepUpData,
} from "../session/assurance/assurance.ts"
import { hasPassword } from "../session/assurance/authenticators.ts"
import { isStillSignedIn, refusalOf } from "../session/caller.ts"
import { type Dependencies, hasOne, type Path, post } from "../session/endpoint.ts"
import { bindSession } from "../session/session-binding.ts"
import { Code, createCode, isCodeOf, openCode } from "./code/emailed-code.ts"
import { Assertion } from "./passkey/credential.ts"
import { checkPasskey } from "./passkey/passkey-check.ts"
import { attemptCredential, checkCurrentPassword, Password } from "./password/password.ts"
import { AppCode, factorCheck, RecoveryCode, type Shown } from "./second-factor/factor-check.ts"

export const stepUpPaths = {
  begin: {
    path: "/step-up/begin",
    is: ["step-up"],
    body: z.object({}),
  },
  stepUp: {
    path: "/step-up",
    is: ["step-up"],
    body: z
      .object({
        password: Password.optional(),
        code: AppCode.optional(),
        recoveryCode: RecoveryCode.optional(),
        passkey: Assertion.optional(),
        emailCode: Code.optional(),
      })
      .refine(hasOne, {
        path: ["password"],
        error: "Must be sent, or code, recoveryCode, passkey or emailCode, and one of them alone",
      }),
  },
} as const satisfies Record<string, Path>

type Own = { id: string; userId: string; token: string; needsFactor: boolean }

type Statements = Record<string, BatchItem<"sqlite">>

/** Result of a check, valid only if `when` is true while the statements run. */
type Checked = {
  factor?: Factor
  when: SQL
  spends?: Statements
  uses: (when: SQL) => Statements
  /** Error code if `when` is false, unless the session has ended. */
  refusal: FailureCode
}

/** Steps up a session, for the actions that require it. */
export function stepUpEndpoint(dependencies: Dependencies) {
  const { configuration, database, attempts, emails, letters } = dependencies

  /** A passkey is enough to step up any account. */
  const byPasskey = async (
    context: EndpointContext,
    userId: string,
    assertion: Assertion,
  ): Promise<Checked> => {
    const checked = await checkPasskey(context, dependencies, { purpose: "step-up", assertion })
    if (checked.owner.id !== userId) throw createApiError("PASSKEY_REFUSED")
    const { when, spends, used } = checked
    return { factor: "passkey", when, spends, uses: () => used, refusal: "PASSKEY_REFUSED" }
  }

  const byFactor = async (userId: string, factorInput: Shown): Promise<Checked> => {
    // Failed attempts in a stolen session count separately, so they do not lock out the owner.
    const subject = `${userId} signed in`
    const factor = factorCheck(dependencies, { userId, subject, shown: factorInput })
    const checked = await factor.check(await sendNamed(database, factor.statements))
    if (checked === undefined) throw createApiError("INVALID_CODE")
    return { ...checked, refusal: "INVALID_CODE" }
  }

  const byPassword = async (ownSession: Own, password: string): Promise<Checked> => {
    const { userId, needsFactor } = ownSession
    const credential =
      configuration.passwords && !needsFactor
        ? await attemptCredential(dependencies, userId)
        : undefined
    if (credential === undefined) throw await createStepUpError(dependencies, ownSession)
    await checkCurrentPassword(credential.hash, password)
    return {
      // Rejects the step-up if the password changed or a factor was added since the password was read.
      when: sql`${hasPassword(userId, credential.hash)} and ${needsNoFactor(ownSession)}`,
      uses: () => ({ attempts: attempts.takeBack("password", userId) }),
      refusal: "INVALID_PASSWORD",
    }
  }

  const codeOf = ({ token, userId }: Own, code: string) =>
    ({ keys: configuration.keys, kind: "step_up_code", from: [token], code, userId }) as const

  /** Emails a code that steps up only this session, if the account has neither a factor nor a password. */
  const stepUpBegin = post(stepUpPaths.begin, assuredSession(dependencies), async (context) => {
    const { session: ownSession, user: owner } = context.context.session
    const { ways } = await stepUpData(dependencies, ownSession)
    if (emails === undefined || !ways.includes("email")) {
      throw createApiError("STEP_UP_REQUIRED", undefined, { ways })
    }
    const code = createCode()
    const subject = `${owner.id} step-up`
    const when = sql`${isStillSignedIn(ownSession)} and ${attempts.isWithin("address", subject)}`
    const { counted, opened } = await sendNamed(database, {
      counted: attempts.count("address", subject),
      opened: openCode(database, codeOf(ownSession, code), when),
    })
    attempts.admit("address", counted)
    if (opened[0] === undefined) throw createApiError("UNAUTHORIZED")
    const accepted = context.headers?.get("accept-language")
    const occasion = { at: new Date(), agent: context.headers?.get("user-agent") ?? null }
    emails.sendCode({ email: owner.email, accepted }, { code, is: "stepUpCode" }, occasion)
    return context.json({ sent: true })
  })

  const byEmail = async (ownSession: Own, code: string): Promise<Checked> => {
    if (ownSession.needsFactor) throw await createStepUpError(dependencies, ownSession)
    const isRight = isCodeOf(codeOf(ownSession, code))
    // Each session has its own count, so that a stolen session cannot lock out the owner.
    const { tried, found } = await sendNamed(database, {
      tried: attempts.count("address code", ownSession.id),
      found: database.select({ id: verification.id }).from(verification).where(isRight),
    })
    attempts.admit("address code", tried, "TOO_MANY_ATTEMPTS")
    if (found[0] === undefined) throw createApiError("INVALID_CODE")
    return {
      when: sql`exists (select 1 from ${verification} where ${isRight}) and ${needsNoFactor(ownSession)}`,
      uses: () => ({ spent: database.delete(verification).where(isRight) }),
      refusal: "INVALID_CODE",
    }
  }

  const stepUp = post(stepUpPaths.stepUp, assuredSession(dependencies), async (context) => {
    const { password = "", passkey, emailCode, ...factorInput } = context.body
    const { session: ownSession } = context.context.session
    const { userId } = ownSession
    const check = () => {
      if (passkey !== undefined) return byPasskey(context, userId, passkey)
      if (emailCode !== undefined) return byEmail(ownSession, emailCode)
      return password === "" ? byFactor(userId, factorInput) : byPassword(ownSession, password)
    }
    const { factor, spends, uses, refusal, ...checked } = await check()
    const provenAt = new Date()
    const when = sql`${checked.when} and ${isStillSignedIn(ownSession)}`
    const { proven, entry } = await sendChange(database, {
      before: {
        ...spends,
        entry:
          factor === "recovery"
            ? letters.note(context.headers, { action: "recovery_code_used", userId, when })
            : undefined,
      },
      change: {
        proven: database
          .update(session)
          .set({ provenAt, ...(factor && { factor }) })
          .where(sql`${eq(session.id, ownSession.id)} and ${when}`)
          .returning({ id: session.id }),
      },
      after: { ...uses(when) },
    })
    if (proven[0] === undefined) throw await refusalOf(database, ownSession, refusal)
    letters.send(entry ?? [])
    bindSession(context, configuration, ownSession)
    return context.json({ provenAt })
  })
  return { stepUpBegin, stepUp }
}
