import { eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import * as z from "zod"

import { auditEntry } from "../../platform/audit/audit-entry.table.ts"
import { computedOfOwnEvent, SecurityEvent } from "../../platform/audit/audit-event.ts"
import type { Configuration } from "../../platform/configuration/configuration.ts"
import {
  account,
  formerAddress,
  passkey,
  removedIdentity,
  secondFactor,
  session,
  trustedBrowser,
  user,
} from "../../platform/database/auth.table.ts"
import { shownColumns } from "../../platform/database/columns.ts"
import type { Database } from "../../platform/database/database.ts"
import type { Collections } from "../../platform/database/records.ts"
import { ExportedProfile, withPlanOf } from "../../session/profile.ts"

/** Returns the schema of a table's exported rows: the named columns, completed by their defaults. */
function exportOf(
  table: SQLiteTable & { userId: SQLiteColumn },
  names: string[],
): Collections[string] {
  const columns = getTableColumns(table)
  const fields = names.map((name) => {
    const value = columns[name]?.dataType === "date" ? z.date() : z.string()
    return [name, columns[name]?.notNull ? value : value.nullable()] as const
  })
  return { table, owner: table.userId, item: z.object(Object.fromEntries(fields)) }
}

const ownCollections: Collections = {
  sessions: exportOf(session, ["id", "ipAddress", "userAgent", "name", "createdAt", "expiresAt"]),
  signInMethods: exportOf(account, ["id", "providerId", "accountId", "scope", "createdAt"]),
  removedSignInMethods: exportOf(removedIdentity, ["providerId", "issuer", "removedAt"]),
  secondFactors: exportOf(secondFactor, ["createdAt", "confirmedAt"]),
  trustedBrowsers: exportOf(trustedBrowser, ["userAgent", "createdAt", "expiresAt"]),
  passkeys: exportOf(passkey, ["id", "name", "createdAt", "usedAt"]),
  formerAddresses: exportOf(formerAddress, ["email", "until"]),
}

const events: Collections[string] = {
  table: auditEntry,
  owner: auditEntry.subjectId,
  item: SecurityEvent,
  order: [auditEntry.createdAt, auditEntry.id],
  computed: computedOfOwnEvent,
}

const rowsPerCollection = 200

/** Position of the last row read, by collection; null before the first row. Complete collections are absent. */
type Progress = Readonly<Record<string, string | null>>

const Sealed = z.object({ progress: z.record(z.string(), z.string().nullable()) })

type Options = {
  database: Database
  userId: string | SQL
  progress: Progress
}

type Found = { place: string; row: Record<string, unknown> }[]

export type DataExport = ReturnType<typeof createDataExport>

/** Creates the export of the service's own tables and of the features' tables. */
export function createDataExport(exported: Collections) {
  const lists: Collections = { ...ownCollections, ...exported, securityEvents: events }
  const collections: Collections = {
    profile: { table: user, owner: user.id, item: ExportedProfile },
    ...lists,
  }
  const names = Object.keys(collections)
  const empty = Object.fromEntries(names.map((name) => [name, []]))
  const firstProgress: Progress = Object.fromEntries(names.map((name) => [name, null]))
  const Page = z.object({
    profile: ExportedProfile.nullable(),
    ...Object.fromEntries(Object.entries(lists).map(([name, { item }]) => [name, z.array(item)])),
    nextCursor: z.string().nullable(),
  })

  return {
    /** Stored data about a member. A test fails for a table that is neither listed here nor exempt. */
    collections,
    Page,
    firstProgress,

    /**
     * Decrypts a cursor. It is encrypted because it contains times, and rowids that count the rows of all members.
     * Returns undefined if it is invalid or older than a day.
     */
    progressOf: async ({ keys }: Configuration, cursor: string | undefined) => {
      if (cursor === undefined) return firstProgress
      const opened = await keys.open("export_cursor", cursor)
      return opened?.isExpired === false
        ? Sealed.safeParse(opened.claims).data?.progress
        : undefined
    },

    /** Returns the statements of a page for one batch, in the order of its collections. */
    queriesOf: ({ database, userId, progress }: Options) => {
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
    },

    /** Returns a page from the results of its statements, with the cursor of the next page. */
    pageOf: async ({ keys }: Configuration, progress: Progress, results: Found[]) => {
      const read = readOf(progress)
      const lots = read.map(([name], index) => ({ name, rows: results[index] ?? [] }))
      const unread = lots.flatMap(({ name, rows }) => {
        const full = collections[name]?.rows ?? rowsPerCollection
        const last = rows.length < full ? undefined : rows.at(-1)?.place
        return last === undefined ? [] : [[name, last] as const]
      })
      const next = [...unread, ...Object.entries(progress).slice(read.length)]
      const nextCursor =
        next.length === 0
          ? null
          : await keys.seal("export_cursor", { progress: Object.fromEntries(next) })
      const rows: Record<string, unknown[]> = { ...empty, ...Object.fromEntries(lots.map(rowsOf)) }
      const [profile = null] = rows["profile"] ?? []
      const page = Page.parse({ ...rows, profile, nextCursor })
      return { ...page, profile: page.profile && withPlanOf(page.profile) }
    },
  }
}

/**
 * Returns the collections that a page reads. The first page reads the beginning of each; later pages read one
 * collection after another.
 */
function readOf(progress: Progress) {
  const pages = Object.entries(progress)
  return pages.some(([, last]) => last === null) ? pages : pages.slice(0, 1)
}

function columnsOf({ table, item, computed }: Collections[string]) {
  return { ...shownColumns(table, item), ...computed }
}

function list(parts: (SQLiteColumn | SQL)[]) {
  return sql.join(parts, sql`, `)
}

function rowsOf({ name, rows }: { name: string; rows: Found }) {
  return [name, rows.map(({ row }) => row)] as const
}
