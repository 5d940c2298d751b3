import { eq, getTableColumns, gt, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

import { auditEntry } from "../admin/audit-entry.table.ts"
import { account, session, user, verification } from "../auth/auth.table.ts"
import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { consent } from "../consent/consent.table.ts"
import type { Database } from "../database.ts"
import { journalEntry } from "../journal/journal-entry.table.ts"
import { payment, paymentEvent } from "../payment/payment.table.ts"
import { usage } from "../plan/usage.table.ts"

type Exported = {
  table: SQLiteTable
  /** The column that says whose a row is. */
  owner: SQLiteColumn
  /** Secrets, and what is someone else's. */
  without?: string[]
}

/** Every table with something about a member. A test fails for a table that is in neither list. */
export const exported: Record<string, Exported> = {
  user: { table: user, owner: user.id, without: ["signInFailures", "signInFailuresSince"] },
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
    // The part that is paid for is handed out by getResult alone.
    without: ["deepInsights"],
  },
  payment: { table: payment, owner: payment.userId, without: ["checkoutUrl"] },
  consent: { table: consent, owner: consent.userId },
  audit_entry: { table: auditEntry, owner: auditEntry.subjectId, without: ["actorId"] },
}

/** Tables that say nothing about a member. */
export const exempt = [verification, paymentEvent]

const rowsPerTable = 200

/** How far each table was read; tables that are not in it are done. */
export type Progress = Readonly<Record<string, number>>

export const start: Progress = Object.fromEntries(Object.keys(exported).map((name) => [name, 0]))

type Options = {
  database: Database
  userId: string
  progress: Progress
}

/** The next rows of each table that is not done, in one batch. */
export async function exportFrom({ database, userId, progress }: Options) {
  const sources = Object.entries(progress).flatMap(([name, last]) => {
    const source = exported[name]
    return source === undefined ? [] : [{ name, last, ...source }]
  })
  const [first, ...rest] = sources.map(({ table, owner, last }) =>
    database
      .select({ rowid: rowid(table), row: getTableColumns(table) })
      .from(table)
      .where(sql`${eq(owner, userId)} and ${gt(rowid(table), last)}`)
      .orderBy(rowid(table))
      .limit(rowsPerTable),
  )
  if (first === undefined) return { tables: {}, progress: {} }
  const results = await database.batch([first, ...rest])
  const read = sources.map(({ name, without = [] }, index) => {
    const rows = results[index] ?? []
    const kept = rows.map(({ row }) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !without.includes(column))),
    )
    return { name, rows: kept, last: rows.length < rowsPerTable ? null : rows.at(-1)?.rowid }
  })
  return {
    tables: Object.fromEntries(read.map(({ name, rows }) => [name, rows])),
    progress: Object.fromEntries(
      read.flatMap(({ name, last }) => (typeof last === "number" ? [[name, last]] : [])),
    ),
  }
}

function rowid(table: SQLiteTable) {
  return sql<number>`${table}.rowid`
}
