import { eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import { exported } from "../../exports.ts"
import { metrics } from "../../plan/plan.ts"
import { usage } from "../../plan/usage.table.ts"
import { auditEntry } from "../admin/audit-entry.table.ts"
import { computedOfOwnEvent, SecurityEvent } from "../admin/audit.rpc.ts"
import {
  account,
  formerAddress,
  passkey,
  removedIdentity,
  secondFactor,
  session,
  trustedBrowser,
  user,
} from "../auth/auth.table.ts"
import { ExportedProfile } from "../auth/profile.ts"
import { shownColumns } from "../database/columns.ts"
import type { Database } from "../database/database.ts"
import { listedValue } from "../rpc/fields.ts"
import type { Collections } from "./records.ts"

/** What is exported of a member's rows of a table: the named columns, with what a name leaves open. */
function exportOf(
  table: SQLiteTable & { userId: SQLiteColumn },
  names: string[],
  meanings: Record<string, string> = {},
): Collections[string] {
  const columns = getTableColumns(table)
  const fields = names.map((name) => {
    const value = columns[name]?.dataType === "date" ? z.date() : z.string()
    const field = columns[name]?.notNull ? value : value.nullable()
    const meaning = meanings[name]
    return [name, meaning === undefined ? field : field.describe(meaning)] as const
  })
  return { table, owner: table.userId, item: z.object(Object.fromEntries(fields)) }
}

const MonthlyUsage = z.object({
  metric: listedValue(metrics),
  period: z.string().describe("Calendar month (UTC)"),
  count: z.int(),
})

const lists: Collections = {
  sessions: exportOf(session, ["id", "ipAddress", "userAgent", "name", "createdAt", "expiresAt"]),
  signInMethods: exportOf(account, ["id", "providerId", "accountId", "scope", "createdAt"], {
    providerId: "credential: a password",
    accountId: "Your id at the provider",
  }),
  removedSignInMethods: exportOf(removedIdentity, ["providerId", "issuer", "removedAt"], {
    issuer: "Who the provider is",
  }),
  secondFactors: exportOf(secondFactor, ["createdAt", "confirmedAt"], {
    confirmedAt: "Null until a code of the app has shown that it works",
  }),
  trustedBrowsers: exportOf(trustedBrowser, ["userAgent", "createdAt", "expiresAt"]),
  passkeys: exportOf(passkey, ["id", "name", "createdAt", "usedAt"]),
  formerAddresses: exportOf(formerAddress, ["email", "until"], { until: "When it is forgotten" }),
  usage: { table: usage, owner: usage.userId, item: MonthlyUsage },
  ...exported,
  securityEvents: {
    table: auditEntry,
    owner: auditEntry.subjectId,
    item: SecurityEvent,
    order: [auditEntry.createdAt, auditEntry.id],
    computed: computedOfOwnEvent,
  },
}

/** What is stored about a member. A test fails for a table that is neither here nor exempt. */
export const collections: Collections = {
  profile: { table: user, owner: user.id, item: ExportedProfile },
  ...lists,
}

/** A page of the export. */
export const Export = z.object({
  profile: ExportedProfile.nullable().describe("Null on every page but the first"),
  ...Object.fromEntries(Object.entries(lists).map(([name, { item }]) => [name, z.array(item)])),
  nextCursor: z.string().nullable().describe("Cursor of the next page; null on the last page"),
})

const rowsPerCollection = 200

/** Place of the last row read of each collection, null before the first; one without an entry is complete. */
export type Progress = Readonly<Record<string, string | null>>

export const firstProgress: Progress = Object.fromEntries(
  Object.keys(collections).map((name) => [name, null]),
)

type Options = {
  database: Database
  userId: string | SQL
  progress: Progress
}

/** What a page reads: the beginning of every collection, and then one collection after the other. */
function readOf(progress: Progress) {
  const all = Object.entries(progress)
  return all.some(([, last]) => last === null) ? all : all.slice(0, 1)
}

/** Statements for one batch, in the order of what a page reads. */
export function exportQueries({ database, userId, progress }: Options) {
  const queries = readOf(progress).flatMap(([name, last]) => {
    const collection = collections[name]
    if (collection === undefined) return []
    const { table, owner, order = [sql`${table}.rowid`] } = collection
    const values = order.map((_, at) => sql`json_extract(${last}, ${`$[${at}]`})`)
    const isAfter = last === null ? sql`true` : sql`(${list(order)}) > (${list(values)})`
    return [
      database
        .select({ place: sql<string>`json_array(${list(order)})`, row: columnsOf(collection) })
        .from(table)
        .where(sql`${eq(owner, userId)} and ${isAfter}`)
        .orderBy(...order)
        .limit(collection.rows ?? rowsPerCollection),
    ]
  })
  const [first, ...rest] = queries
  if (first === undefined) throw new Error("nothing is left to export")
  return [first, ...rest] satisfies [typeof first, ...typeof rest]
}

function columnsOf({ table, item, computed }: Collections[string]) {
  return { ...shownColumns(table, item), ...computed }
}

function list(parts: (SQLiteColumn | SQL)[]) {
  return sql.join(parts, sql`, `)
}

type Found = { place: string; row: Record<string, unknown> }[]

/** The rows by collection, and the progress after them. */
export function readExport(progress: Progress, results: Found[]) {
  const read = readOf(progress)
  const found = read.map(([name], index) => ({ name, rows: results[index] ?? [] }))
  const rest = found.flatMap(({ name, rows }) => {
    const full = collections[name]?.rows ?? rowsPerCollection
    const last = rows.length < full ? undefined : rows.at(-1)?.place
    return last === undefined ? [] : [[name, last] as const]
  })
  return {
    rows: { ...none, ...Object.fromEntries(found.map(rowsOf)) },
    progress: Object.fromEntries([...rest, ...Object.entries(progress).slice(read.length)]),
  }
}

const none = Object.fromEntries(Object.keys(collections).map((name) => [name, []]))

function rowsOf({ name, rows }: { name: string; rows: Found }) {
  return [name, rows.map(({ row }) => row)] as const
}
