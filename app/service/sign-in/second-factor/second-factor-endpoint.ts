import { eq, sql } from "drizzle-orm"
import * as z from "zod"

import { auditOwn } from "../../platform/audit/audit.ts"
import { user, verification } from "../../platform/database/auth.table.ts"
import { sendChange, sendNamed } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import { type Dependencies, hasOne, type Path, post } from "../../session/endpoint.ts"
import {
  enterAccount,
  noteRefusal,
  openSession,
  createSuspensionError,
  suspension,
} from "../../session/session-opening.ts"
import { AppCode, factorCheck, RecoveryCode } from "./factor-check.ts"
import { isOfStep, joinOf, signInStep } from "./sign-in-step.ts"
import { trust } from "./trusted-browser.ts"

export const signInSecondFactorPath = {
  path: "/sign-in/second-factor",
  is: ["open"],
  body: z
    .object({
      code: AppCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      trustBrowser: z.boolean().optional(),
    })
    .refine(({ code, recoveryCode }) => hasOne({ code, recoveryCode }), {
      path: ["code"],
      error: "Must be sent, or recoveryCode, and not both",
    }),
} as const satisfies Path

/** Completes a sign-in with the second factor. The browser's step records the first method. */
export function secondFactorSignIn(dependencies: Dependencies) {
  const { configuration, database, attempts, letters, marks } = dependencies
  const { keys } = configuration

  const signInSecondFactor = post(signInSecondFactorPath, [], async (context) => {
    const { trustBrowser, ...factorInput } = context.body
    const step = await signInStep.read(context, keys)
    if (step === undefined) throw createApiError("STEP_EXPIRED")
    const { userId, email, way, forgets, page } = step
    const subject = await marks.knownBrowser.factorSubject(context, email)
    const factor = factorCheck(dependencies, { userId, subject, shown: factorInput })
    const isOpen = sql`exists (select 1 from ${verification} where ${isOfStep(step)})`
    const { tries, owners, ...read } = await sendNamed(database, {
      ...factor.statements,
      tries: attempts.count("sign-in step", step.id),
      owners: database
        .select({
          ...sessionUserColumns,
          suspension,
          isOpen: sql<number>`${isOpen}`,
        })
        .from(user)
        .where(eq(user.id, userId)),
    })
    if (owners[0]?.isOpen !== 1 || !attempts.admits("sign-in step", tries)) {
      throw createApiError("STEP_EXPIRED")
    }
    if (attempts.isFirstRefused(factor.kind, read.counted)) {
      noteRefusal(dependencies, "second_factor_locked", context, email)
    }
    const checked = await factor.check(read)
    const refused = () => {
      noteRefusal(dependencies, "second_factor_refused", context, email)
      return createApiError("INVALID_CODE")
    }
    if (checked === undefined) throw refused()
    const { isOpen: _, suspension: reason, ...owner } = owners[0]
    if (reason !== null) throw createSuspensionError(reason)
    const { row, when, statements } = await openSession(context, {
      database,
      userId,
      forgets,
      factor: checked.factor,
      when: sql`${isOpen} and ${checked.when}`,
    })
    const passwordSubject = await marks.knownBrowser.subject(context, email)
    const trusting = trustBrowser ? trust(context, { database, keys, userId }, when) : undefined
    const entry = { database, userId, when, headers: context.headers }
    const { opened, spent, linked } = await sendChange(database, {
      before: {
        entry: auditOwn({ ...entry, action: "sign_in", detail: `${way} ${checked.factor}` }),
        spent:
          checked.factor === "recovery"
            ? letters.note(context.headers, { ...entry, action: "recovery_code_used" })
            : undefined,
        ...trusting?.statements,
        attempts: attempts.takeBack("sign-in", passwordSubject, when),
      },
      change: statements,
      after: {
        ...joinOf(dependencies, step, { headers: context.headers, sessionId: row.id }),
        ...checked.uses(when),
        step: database
          .delete(verification)
          .where(sql`${isOfStep(step)} and exists (select 1 from session where id = ${row.id})`),
      },
    })
    if (opened[0] === undefined) throw refused()
    letters.send([...(spent ?? []), ...(linked ?? [])])
    const answer = await enterAccount(context, dependencies, { row, owner })
    signInStep.forget(context)
    await trusting?.finish()
    return context.json({ url: page, ...answer })
  })
  return { signInSecondFactor }
}
