import { sql } from "drizzle-orm"

import type { Records } from "../service/user/records.ts"
import { consent } from "./consent.table.ts"
import { keptConsent } from "./kept-consent.table.ts"

/** The records of consent given stay. The columns are in the order of the table. */
export const consentRecords: Records = {
  leave: ({ database, userId, hash, when }) => ({
    consents: database.insert(keptConsent).select(
      sql`select ${consent.id}, ${hash}, ${consent.purpose}, ${consent.version}, ${consent.grantedAt}, ${consent.withdrawnAt}
        from ${consent} where ${consent.userId} = ${userId} and ${when}`,
    ),
  }),
}
