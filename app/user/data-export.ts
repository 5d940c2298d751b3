import { eq, getTableColumns, gt, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

import { auditEntry } from "../admin/audit-entry.table.ts"
import { attempt } from "../auth/attempt.table.ts"
import { account, session, user, verification } from "../auth/auth.table.ts"
import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { consent } from "../consent/consent.table.ts"
import type { Database } from "../database.ts"
import { journalEntry } from "../journal/journal-entry.table.ts"
import { sendNamed } from "../named-batch.ts"
import { payment, paymentEvent } from "../payment/payment.table.ts"
import { usage } from "../plan/usage.table.ts"
import { keptConsent, keptPayment } from "./kept-record.table.ts"

type Exported = {
  table: SQLiteTable
  /** Column with the id of the member whose data the row is. */
  owner: SQLiteColumn
  /** Columns with secrets, or with data of other people. */
  without?: string[]
}

/** Tables with data about a member. A test fails for a table in neither this list nor the next. */
export const exportedTables: Record<string, Exported> = {
  user: {
    table: user,
    owner: user.id,
    without: ["signInFailures", "signInFailuresSince", "unprovenSince"],
  },
  session: { table: session, owner: session.userId, without: ["token"] },
  account: {
    table: account,
    owner: account.userId,
    without: [
      "password",
      "idToken",
      "accessToken",
      "accessTokenExpiresAt",
      "refreshToken",
      "refreshTokenExpiresAt",
    ],
  },
  usage: { table: usage, owner: usage.userId },
  journal_entry: { table: journalEntry, owner: journalEntry.userId },
  compatibility_result: {
    table: compatibilityResult,
    owner: compatibilityResult.userId,
    // Only getResult returns the paid part.
    without: ["deepInsights"],
  },
  payment: { table: payment, owner: payment.userId, without: ["checkoutUrl"] },
  consent: { table: consent, owner: consent.userId },
  audit_entry: { table: auditEntry, owner: auditEntry.subjectId, without: ["actorId"] },
}

/** Tables without data about a member. */
export const exemptTables = [attempt, keptConsent, keptPayment, verification, paymentEvent]

const rowsPerTable = 200

/** The last rowid read of each table; a table without an entry is complete. */
export type Progress = Readonly<Record<string, number>>

export const firstProgress: Progress = Object.fromEntries(
  Object.keys(exportedTables).map((name) => [name, 0]),
)

type Options = {
  database: Database
  userId: string
  progress: Progress
}

export async function exportPage({ database, userId, progress }: Options) {
  const sources = Object.entries(progress).flatMap(([name, last]) => {
    const source = exportedTables[name]
    return source === undefined ? [] : [{ name, last, ...source }]
  })
  const queries = sources.map(({ name, table, owner, last }) => {
    const query = database
      .select({ rowid: rowid(table), row: getTableColumns(table) })
      .from(table)
      .where(sql`${eq(owner, userId)} and ${gt(rowid(table), last)}`)
      .orderBy(rowid(table))
      .limit(rowsPerTable)
    return [name, query] as const
  })
  const results = await sendNamed(Object.fromEntries(queries), async ([first, ...rest]) =>
    first === undefined ? [] : database.batch([first, ...rest]),
  )
  const pages = sources.map(({ name, without = [] }) => {
    const found = results.get(name) ?? []
    const rows = found.map(({ row }) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !without.includes(column))),
    )
    return { name, rows, last: found.length < rowsPerTable ? null : found.at(-1)?.rowid }
  })
  return {
    tables: Object.fromEntries(pages.map(({ name, rows }) => [name, rows])),
    progress: Object.fromEntries(
      pages.flatMap(({ name, last }) => (typeof last === "number" ? [[name, last]] : [])),
    ),
  }
}

function rowid(table: SQLiteTable) {
  return sql<number>`${table}.rowid`
}
