import { and, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import type { AttemptKind, Subject } from "../../guard/attempts.ts"
import { recoveryCode, secondFactor, user } from "../../platform/database/auth.table.ts"
import { hasApp } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { digits } from "../code/emailed-code.ts"
import { openSecret } from "./factor-seal.ts"
import { hashOfCode } from "./recovery-codes.ts"
import { stepOf } from "./totp.ts"

export const AppCode = digits(6, "Must be six digits")

export const RecoveryCode = z.string().max(40)

export type Shown = { code?: string | undefined; recoveryCode?: string | undefined }

type Stores = Pick<Dependencies, "attempts" | "configuration" | "database">

/**
 * Checks a second factor. Send `statements` in one batch: they count the attempt and read the stored factor. `check`
 * returns the used factor, or undefined for a wrong code, and throws TOO_MANY_ATTEMPTS.
 */
export function factorCheck(
  { attempts, configuration, database }: Stores,
  { userId, subject, shown }: { userId: string; subject: Subject; shown: Shown },
) {
  const { code, recoveryCode: typed = "" } = shown
  const kind: AttemptKind = code === undefined ? "recovery code" : "factor code"
  const isCode = and(eq(recoveryCode.hash, hashOfCode(typed)), eq(recoveryCode.userId, userId))
  const hasCode = sql`exists (select 1 from ${recoveryCode} where ${isCode})`
  const isOn = hasApp(userId)
  return {
    kind,
    statements: {
      counted: attempts.count(kind, subject),
      known: database
        .select({
          secret: secondFactor.secret,
          keyId: secondFactor.keyId,
          hasCode: sql<number>`${hasCode}`,
        })
        .from(user)
        .leftJoin(secondFactor, eq(secondFactor.userId, user.id))
        .where(and(eq(user.id, userId), isNotNull(user.secondFactorSince))),
    },

    check: async ({ counted, known }: Results) => {
      attempts.admit(kind, counted, "TOO_MANY_ATTEMPTS")
      const [row] = known
      if (row === undefined) return undefined
      if (code === undefined) {
        if (row.hasCode !== 1) return undefined
        const uses = (when: SQL) => ({
          forgotten: attempts.takeBack(kind, subject, when),
          used: database.delete(recoveryCode).where(and(isCode, when)),
        })
        return { factor: "recovery" as const, when: sql`${hasCode} and ${isOn}`, uses }
      }
      const { secret, keyId } = row
      if (secret === null || keyId === null) return undefined
      const opened = await openSecret(configuration, { userId, secret, keyId })
      const step = opened === undefined ? undefined : await stepOf(opened, code)
      if (step === undefined) return undefined
      // Rejects a code if the app was replaced, or if a code of this or a later time step was used before.
      const isNew = and(
        eq(secondFactor.userId, userId),
        eq(secondFactor.secret, secret),
        lt(secondFactor.lastStep, step),
      )
      const uses = (when: SQL) => ({
        forgotten: attempts.takeBack(kind, subject, when),
        used: database.update(secondFactor).set({ lastStep: step }).where(and(isNew, when)),
      })
      const when = sql`exists (select 1 from ${secondFactor} where ${isNew}) and ${isOn}`
      return { factor: "totp" as const, when, uses }
    },
  }
}

type Results = {
  counted: Parameters<Stores["attempts"]["admit"]>[1]
  known: { secret: string | null; keyId: string | null; hasCode: number }[]
}
