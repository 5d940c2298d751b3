import type { SQL } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type * as z from "zod"

/** What the export has of a table. */
type Collection = {
  table: SQLiteTable
  /** Column with the id of the member whose data the row is. */
  owner: SQLiteColumn
  /** Names the columns that are exported, and nothing else of the row is read. */
  item: z.ZodObject
  /** What follows the owner in an index: the order. Where it is not said, a member has few, in order of their rowids. */
  order?: (SQLiteColumn | SQL)[]
  /** On a page; fewer of those whose rows are large. */
  rows?: number
  /** What is not a column of the same name. */
  computed?: Record<string, SQLiteColumn | SQL>
}

/** By name in the export. */
export type Collections = Record<string, Collection>
