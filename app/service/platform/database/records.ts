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
  /** Hash of the account's id, for archived rows. The audit log keeps the id itself for two years. */
  hash: string
  when: SQL
}

/** Expired rows, selected by a condition on `?1`, the first of the values. */
export type Expired = { table: string; where: string; values: unknown[] }

/** Hooks of a feature for the deletion of accounts and the expiry of rows. */
export type Records = {
  /** Statements for the batch that deletes an account; they run before the deletion. */
  leave?: (leaving: Leaving) => Record<string, BatchItem<"sqlite">>
  /** Follow-up work that no response waits for. It receives the statements' results by name. */
  finish?: (results: Record<string, unknown>, configuration: Configuration) => Promise<unknown>
  /** Returns the owner of the row with the id, for searches by admins; null if there is no such row. */
  ownerOf?: (id: string) => SQL
  expired?: (now: number) => Record<string, Expired>
}

export function accountHash(userId: string) {
  return createHash("sha256").update(userId).digest("hex")
}

/** Columns of a table in the export. */
type Collection = {
  table: SQLiteTable
  /** Column with the id of the member who owns the row. */
  owner: SQLiteColumn
  /** Schema of the exported columns; no other columns are read. */
  item: z.ZodObject
  /** Columns that follow the owner in an index. Default: rowid, for tables with few rows for each member. */
  order?: (SQLiteColumn | SQL)[]
  /** Rows on a page. Set it lower if rows are large. */
  rows?: number
  /** Values that are not a column of the same name. */
  computed?: Record<string, SQLiteColumn | SQL | SQL.Aliased>
}

/** Collections by their name in the export. */
export type Collections = Record<string, Collection>
