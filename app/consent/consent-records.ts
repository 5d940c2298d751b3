import { sql } from "drizzle-orm"

import type { Records } from "../service/platform/database/records.ts"
import { consent, keptConsent, keptDays } from "./consent.table.ts"

const day = 24 * 60 * 60 * 1000

/** Keeps records of consent. Columns have the order of the table. */
export const consentRecords: Records = {
  leave: ({ database, userId, hash, when }) => ({
    consents: database.insert(keptConsent).select(
      sql`select ${consent.id}, ${hash}, ${consent.purpose}, ${consent.version}, ${consent.grantedAt}, ${consent.withdrawnAt}, ${Date.now()}
        from ${consent} where ${consent.userId} = ${userId} and ${when}`,
    ),
  }),
  expired: (now) => ({
    consents: { table: "kept_consent", where: "kept_at < ?1", values: [now - keptDays * day] },
  }),
}
