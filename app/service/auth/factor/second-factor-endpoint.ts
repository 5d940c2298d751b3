import { eq, sql } from "drizzle-orm"

import { withPlanOf } from "../../../plan/plan.ts"
import { auditOwn } from "../../admin/audit.ts"
import { sendNamed } from "../../database/database.ts"
import { createApiError } from "../../http/failure.ts"
import { user, verification } from "../auth.table.ts"
import { sessionUserColumns } from "../caller.ts"
import { giveSession } from "../cookie/session-binding.ts"
import { type Dependencies, post } from "../endpoint.ts"
import { noteRefusal, openSession } from "../session-opening.ts"
import { createSuspensionError, suspension } from "../suspension.ts"
import { factorCheck } from "./factor-check.ts"
import { isOfStep, joinOf, signInStep } from "./sign-in-step.ts"
import { trust } from "./trusted-browser.ts"

/** The second half of a sign-in: what was shown before is the step that the browser has. */
export function secondFactorSignIn(dependencies: Dependencies) {
  const { configuration, database, attempts, letters, marks } = dependencies
  const { keys } = configuration

  const signInSecondFactor = post("/sign-in/second-factor", [], async (context) => {
    const { trustBrowser, ...shown } = context.body
    const step = await signInStep.read(context, keys)
    if (step === undefined) throw createApiError("STEP_EXPIRED")
    const { userId, email, way, forgets, page } = step
    const subject = await marks.knownBrowser.factorSubject(context, email)
    const factor = factorCheck(dependencies, { userId, subject, shown })
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
    const entry = { database, userId, when }
    const { opened, spent, linked } = await sendNamed(database, {
      entry: auditOwn({ ...entry, action: "sign_in", detail: `${way} ${checked.factor}` }),
      spent:
        checked.factor === "recovery"
          ? letters.note(context.headers, { ...entry, action: "recovery_code_used" })
          : undefined,
      ...trusting?.statements,
      attempts: attempts.takeBack("sign-in", passwordSubject, when),
      ...statements,
      ...joinOf(dependencies, step, { headers: context.headers, sessionId: row.id }),
      ...checked.uses(when),
      step: database
        .delete(verification)
        .where(sql`${isOfStep(step)} and exists (select 1 from session where id = ${row.id})`),
    })
    if (opened[0] === undefined) throw refused()
    letters.send([...(spent ?? []), ...(linked ?? [])])
    await giveSession(context, configuration, { session: { ...row, userId }, user: owner }, forgets)
    signInStep.forget(context)
    await trusting?.finish()
    await marks.knownBrowser.set(context, email)
    return context.json({ token: row.token, url: page, user: withPlanOf(owner) })
  })
  return { signInSecondFactor }
}
