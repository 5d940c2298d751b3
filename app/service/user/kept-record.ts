import { createHash } from "node:crypto"

import { sql, type SQL } from "drizzle-orm"

import { consent } from "../../consent/consent.table.ts"
import { payment } from "../../payment/payment.table.ts"
import { rowIf } from "../database/conditional-row.ts"
import type { Database } from "../database/database.ts"
import { keptCheckout, keptConsent, keptPayment } from "./kept-record.table.ts"

/** Milliseconds for which money may still arrive: bank transfers take days, disputes weeks. */
export const checkoutRetention = 90 * 24 * 60 * 60 * 1000

/**
 * Statements for the batch that deletes a user: the records of money taken, or that may be taken yet,
 * and of consent given stay. The columns are in the order of the tables.
 */
export function keepRecords(database: Database, userId: string, when: SQL) {
  const hash = accountHash(userId)
  const since = Date.now() - checkoutRetention
  return {
    payments: database.insert(keptPayment).select(
      sql`select ${payment.id}, ${hash}, ${payment.sessionId}, ${payment.amount}, ${payment.currency}, ${payment.paidAt}
        from ${payment} where ${payment.userId} = ${userId} and ${payment.status} = 'paid' and ${when}`,
    ),
    checkouts: database.insert(keptCheckout).select(
      sql`select ${payment.id}, ${hash}, ${payment.sessionId}, ${payment.amount}, ${payment.currency}, ${payment.createdAt}
        from ${payment} where ${payment.userId} = ${userId} and ${payment.createdAt} > ${since}
        and ${payment.status} <> 'paid' and ${payment.sessionId} is not null and ${when}`,
    ),
    consents: database.insert(keptConsent).select(
      sql`select ${consent.id}, ${hash}, ${consent.purpose}, ${consent.version}, ${consent.grantedAt}, ${consent.withdrawnAt}
        from ${consent} where ${consent.userId} = ${userId} and ${when}`,
    ),
  }
}

type Opened = Omit<typeof keptCheckout.$inferInsert, "accountHash"> & { userId: string }

/** Statement that keeps a checkout whose account was deleted while the provider opened it. */
export function keepCheckout(database: Database, { userId, ...opened }: Opened) {
  const { id, sessionId, amount, currency, createdAt } = opened
  const row = { id, accountHash: accountHash(userId), sessionId, amount, currency, createdAt }
  const isGone = sql`not exists (select 1 from ${payment} where ${payment.id} = ${id})`
  return database
    .insert(keptCheckout)
    .select(rowIf(keptCheckout, row, isGone))
    .onConflictDoNothing()
}

function accountHash(userId: string) {
  return createHash("sha256").update(userId).digest("hex")
}
