import { createHash } from "node:crypto"

import type { SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type * as z from "zod"

import type { Configuration } from "../configuration/configuration.ts"
import type { Database } from "./database.ts"

type Leaving = {
  database: Database
  userId: string
  /** Hash of the account's id, for archived rows: the audit log keeps the id in clear for two years. */
  hash: string
  when: SQL
}

/** Rows that expire, as a condition on `?1`, the first of the values. */
export type Expired = { table: string; where: string; values: unknown[] }

/** Hooks of a feature: what happens to its rows when their account is deleted, and when they expire. */
export type Records = {
  /** Statements for the batch that deletes an account, before it does. */
  leave?: (leaving: Leaving) => Record<string, BatchItem<"sqlite">>
  /** Follow-up work that no response waits for, with the results of the statements by name. */
  finish?: (results: Record<string, unknown>, configuration: Configuration) => Promise<unknown>
  /** Returns the owner of the row with the id, for admins who search by it; null if there is none. */
  ownerOf?: (id: string) => SQL
  expired?: (now: number) => Record<string, Expired>
}

export function accountHash(userId: string) {
  return createHash("sha256").update(userId).digest("hex")
}

/** Columns of a table in the export. */
type Collection = {
  table: SQLiteTable
  /** Column with the id of the member whose data the row is. */
  owner: SQLiteColumn
  /** Names the columns that are exported, and nothing else of the row is read. */
  item: z.ZodObject
  /** The order, which follows the owner in an index. By default a member has few rows, in order of rowids. */
  order?: (SQLiteColumn | SQL)[]
  /** On a page; fewer of those whose rows are large. */
  rows?: number
  /** Values that are not a column of the same name. */
  computed?: Record<string, SQLiteColumn | SQL | SQL.Aliased>
}

/** By name in the export. */
export type Collections = Record<string, Collection>
