import { and, eq, inArray, sql } from "drizzle-orm"

import { log } from "../../http/log.ts"
import type { Dependencies } from "../dependencies.ts"
import { keyIdsOf, openSecret, sealSecret } from "./factor-seal.ts"
import { secondFactor } from "./factor.table.ts"

/** Rows of one run. */
const most = 500

/**
 * Seals anew what FACTOR_SECRET_PREVIOUS has sealed, and says how much of it is left: none, and that secret may go.
 * Whoever enrols another app in the meantime keeps that one.
 */
export async function resealFactors({
  configuration,
  database,
}: Pick<Dependencies, "configuration" | "database">) {
  const [, ...former] = keyIdsOf(configuration)
  if (former.length === 0) return
  const isOld = inArray(secondFactor.keyId, former)
  const rows = await database.select().from(secondFactor).where(isOld).limit(most)
  const updates = await Promise.all(
    rows.map(async ({ userId, secret, keyId }) => {
      const opened = await openSecret(configuration, { userId, secret, keyId })
      if (opened === undefined) return []
      const sealed = await sealSecret(configuration, userId, opened)
      const same = and(eq(secondFactor.userId, userId), eq(secondFactor.secret, secret))
      return [database.update(secondFactor).set(sealed).where(same)]
    }),
  )
  const [first, ...rest] = updates.flat()
  if (first !== undefined) await database.batch([first, ...rest])
  const [counted] = await database
    .select({ left: sql<number>`count(*)` })
    .from(secondFactor)
    .where(isOld)
  log("info", "factor.resealed", { resealed: updates.flat().length, left: counted?.left ?? 0 })
}
