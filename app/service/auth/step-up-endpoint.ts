import { createAuthEndpoint } from "better-auth/api"
import { eq, sql } from "drizzle-orm"

import { auditOwn } from "../admin/audit.ts"
import { sendNamed } from "../database/named-batch.ts"
import { hasPassword } from "./account-row.ts"
import { createApiError } from "./api-error.ts"
import { session } from "./auth.table.ts"
import { ownSession } from "./believed-user.ts"
import { bodies } from "./bodies.ts"
import { isStillSignedIn, refusalOf } from "./caller.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import type { Dependencies } from "./dependencies.ts"
import { factorCheck, type Shown } from "./factor/factor-check.ts"
import type { Assertion } from "./passkey/credential.ts"
import { checkPasskey } from "./passkey/passkey-check.ts"
import { attemptCredential, checkCurrentPassword } from "./password/current-password.ts"
import { proofsOf } from "./step-up.ts"

/** Shows again who has the session, for the acts that ask for it. */
export function stepUpEndpoint(dependencies: Dependencies) {
  const { configuration, database, attempts, letters } = dependencies

  /** A passkey shows all that an account can have. */
  const showPasskey = async (
    context: EndpointContext,
    own: { id: string; userId: string },
    assertion: Assertion,
  ) => {
    const checked = await checkPasskey(context, dependencies, { purpose: "step-up", assertion })
    if (checked.owner.id !== own.userId) throw createApiError("PASSKEY_REFUSED")
    const provenAt = new Date()
    const { proven } = await sendNamed(database, {
      ...checked.spends,
      proven: database
        .update(session)
        .set({ provenAt, factor: "passkey" })
        .where(sql`${eq(session.id, own.id)} and ${checked.when} and ${isStillSignedIn(own)}`)
        .returning({ id: session.id }),
      ...checked.used,
    })
    if (proven[0] === undefined) throw await refusalOf(database, own, "PASSKEY_REFUSED")
    return provenAt
  }

  const showFactor = async (
    { headers }: EndpointContext,
    own: { id: string; userId: string },
    shown: Shown,
  ) => {
    const { userId } = own
    // Whoever has found a session tries in vain for its owner, who signs in again.
    const subject = `${userId} signed in`
    const factor = factorCheck(dependencies, { userId, subject, shown })
    const checked = await factor.check(await sendNamed(database, factor.statements))
    if (checked === undefined) throw createApiError("INVALID_CODE")
    const provenAt = new Date()
    const when = sql`${checked.when} and ${isStillSignedIn(own)}`
    const { proven, spent } = await sendNamed(database, {
      spent:
        checked.factor === "recovery"
          ? auditOwn({
              database,
              action: "recovery_code_used",
              userId,
              when,
              letter: letters.owed(headers),
            })
          : undefined,
      proven: database
        .update(session)
        .set({ provenAt, factor: checked.factor })
        .where(sql`${eq(session.id, own.id)} and ${when}`)
        .returning({ id: session.id }),
      ...checked.uses(when),
    })
    if (proven[0] === undefined) throw await refusalOf(database, own, "INVALID_CODE")
    letters.send(spent ?? [])
    return provenAt
  }

  const stepUp = createAuthEndpoint(
    "/step-up",
    { method: "POST", body: bodies["/step-up"], use: ownSession },
    async (context) => {
      const { password = "", passkey, code, recoveryCode } = context.body
      const { session: own, user } = context.context.session
      if (passkey !== undefined) {
        return context.json({ provenAt: await showPasskey(context, own, passkey) })
      }
      if (password === "") {
        return context.json({ provenAt: await showFactor(context, own, { code, recoveryCode }) })
      }
      const credential = configuration.passwords
        ? await attemptCredential({ database, attempts }, user.id)
        : undefined
      if (credential === undefined || credential.factorSince !== null) {
        const ways = await proofsOf({ configuration, database }, user.id)
        throw createApiError("STEP_UP_REQUIRED", undefined, { ways })
      }
      await checkCurrentPassword(credential.hash, password)
      const provenAt = new Date()
      const isShown = sql`${hasPassword(user.id, credential.hash)} and ${isStillSignedIn(own)}`
      // A change of the password, or a factor, that came meanwhile has ended the session, or made this no proof.
      const hasNoFactor = sql`exists (select 1 from user where id = ${user.id} and second_factor_since is null)`
      const when = sql`${isShown} and ${hasNoFactor}`
      const { proven } = await sendNamed(database, {
        proven: database
          .update(session)
          .set({ provenAt })
          .where(sql`${eq(session.id, own.id)} and ${when}`)
          .returning({ id: session.id }),
        attempts: attempts.forget("password", user.id),
      })
      if (proven[0] === undefined) throw await refusalOf(database, own, "INVALID_PASSWORD")
      return context.json({ provenAt })
    },
  )
  return { stepUp }
}
