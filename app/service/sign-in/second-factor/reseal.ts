import { and, eq, inArray, sql } from "drizzle-orm"

import { secondFactor } from "../../platform/database/auth.table.ts"
import { log } from "../../platform/http/log.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { keyIdsOf, openSecret, sealSecret } from "./factor-seal.ts"

/** Rows per batch, and batches per run. */
const [most, rounds] = [500, 20]

/**
 * Re-encrypts with FACTOR_SECRET what FACTOR_SECRET_PREVIOUS encrypted, and logs how many rows are left. At 0, the
 * previous secret can be removed. An app that a member enrols at the same time is kept.
 */
export async function resealFactors({
  configuration,
  database,
}: Pick<Dependencies, "configuration" | "database">) {
  const [, ...formerIds] = keyIdsOf(configuration)
  if (formerIds.length === 0 || configuration.factorSecretFrom !== undefined) return
  const isOld = inArray(secondFactor.keyId, formerIds)
  let resealed = 0
  for (let round = 0; round < rounds; round += 1) {
    const rows = await database.select().from(secondFactor).where(isOld).limit(most)
    const updates = await Promise.all(
      rows.map(async ({ userId, secret, keyId }) => {
        const opened = await openSecret(configuration, { userId, secret, keyId })
        if (opened === undefined) return []
        const sealed = await sealSecret(configuration, userId, opened)
        const isSame = and(eq(secondFactor.userId, userId), eq(secondFactor.secret, secret))
        return [database.update(secondFactor).set(sealed).where(isSame)]
      }),
    )
    const [first, ...rest] = updates.flat()
    if (first === undefined) break
    await database.batch([first, ...rest])
    resealed += 1 + rest.length
    if (rows.length < most) break
  }
  const [counted] = await database
    .select({ left: sql<number>`count(*)` })
    .from(secondFactor)
    .where(isOld)
  log("info", "factor.resealed", { resealed, left: counted?.left ?? 0 })
}
