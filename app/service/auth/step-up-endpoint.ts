import { eq, sql, type SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { sendNamed } from "../database/named-batch.ts"
import type { FailureCode } from "../http/failure.ts"
import { hasPassword } from "./account-row.ts"
import { createApiError } from "./api-error.ts"
import { session } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { isStillSignedIn, refusalOf } from "./caller.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import type { Dependencies } from "./dependencies.ts"
import { post } from "./endpoint.ts"
import { factorCheck, type Shown } from "./factor/factor-check.ts"
import { hasFactor } from "./factor/factor-state.ts"
import type { Factor } from "./factor/factor.ts"
import type { Assertion } from "./passkey/credential.ts"
import { checkPasskey } from "./passkey/passkey-check.ts"
import { attemptCredential, checkCurrentPassword } from "./password/current-password.ts"
import { proofsOf } from "./step-up.ts"

type Statements = Record<string, BatchItem<"sqlite">>

/** What was shown: it counts if `when` holds as long as the statements run. */
type Checked = {
  factor?: Factor
  when: SQL
  spends?: Statements
  uses: (when: SQL) => Statements
  /** What the act is refused with, unless the session has ended. */
  refusal: FailureCode
}

/** Shows again who has the session, for the acts that ask for it. */
export function stepUpEndpoint(dependencies: Dependencies) {
  const { configuration, database, attempts, letters } = dependencies

  /** A passkey shows all that an account can have. */
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

  const byFactor = async (userId: string, shown: Shown): Promise<Checked> => {
    // Whoever has found a session tries in vain for its owner, who signs in again.
    const subject = `${userId} signed in`
    const factor = factorCheck(dependencies, { userId, subject, shown })
    const checked = await factor.check(await sendNamed(database, factor.statements))
    if (checked === undefined) throw createApiError("INVALID_CODE")
    return { ...checked, refusal: "INVALID_CODE" }
  }

  const byPassword = async (userId: string, password: string): Promise<Checked> => {
    const credential = configuration.passwords
      ? await attemptCredential(dependencies, userId)
      : undefined
    if (credential === undefined || credential.factorSince !== null) {
      const ways = await proofsOf(dependencies, userId)
      throw createApiError("STEP_UP_REQUIRED", undefined, { ways })
    }
    await checkCurrentPassword(credential.hash, password)
    return {
      // A change of the password, or a factor, that came meanwhile has ended the session, or made this no proof.
      when: sql`${hasPassword(userId, credential.hash)} and not ${hasFactor(userId)}`,
      uses: () => ({ attempts: attempts.forget("password", userId) }),
      refusal: "INVALID_PASSWORD",
    }
  }

  const stepUp = post("/step-up", ownSession, async (context) => {
    const { password = "", passkey, ...shown } = context.body
    const { session: own } = context.context.session
    const { userId } = own
    const check = () => {
      if (passkey !== undefined) return byPasskey(context, userId, passkey)
      return password === "" ? byFactor(userId, shown) : byPassword(userId, password)
    }
    const { factor, spends, uses, refusal, ...checked } = await check()
    const provenAt = new Date()
    const when = sql`${checked.when} and ${isStillSignedIn(own)}`
    const { proven, entry } = await sendNamed(database, {
      ...spends,
      entry:
        factor === "recovery"
          ? letters.note(context.headers, { action: "recovery_code_used", userId, when })
          : undefined,
      proven: database
        .update(session)
        .set({ provenAt, ...(factor && { factor }) })
        .where(sql`${eq(session.id, own.id)} and ${when}`)
        .returning({ id: session.id }),
      ...uses(when),
    })
    if (proven[0] === undefined) throw await refusalOf(database, own, refusal)
    letters.send(entry ?? [])
    return context.json({ provenAt })
  })
  return { stepUp }
}
