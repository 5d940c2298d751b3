import { createHash } from "node:crypto"

import { sql, type SQL } from "drizzle-orm"

import { consent } from "../consent/consent.table.ts"
import type { Database } from "../database.ts"
import { payment } from "../payment/payment.table.ts"
import { keptConsent, keptPayment } from "./kept-record.table.ts"

/**
 * Statements for the batch that deletes a user: the records of money taken and of consent given stay.
 * The columns are in the order of the tables.
 */
export function keepRecords(database: Database, userId: string, when: SQL) {
  const accountHash = createHash("sha256").update(userId).digest("hex")
  return [
    database.insert(keptPayment).select(
      sql`select ${payment.id}, ${accountHash}, ${payment.sessionId}, ${payment.amount}, ${payment.currency}, ${payment.paidAt}
        from ${payment} where ${payment.userId} = ${userId} and ${payment.status} = 'paid' and ${when}`,
    ),
    database.insert(keptConsent).select(
      sql`select ${consent.id}, ${accountHash}, ${consent.purpose}, ${consent.version}, ${consent.grantedAt}, ${consent.withdrawnAt}
        from ${consent} where ${consent.userId} = ${userId} and ${when}`,
    ),
  ] as const
}
