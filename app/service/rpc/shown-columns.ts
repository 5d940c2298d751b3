import { getTableColumns } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import type * as z from "zod"

type Columns<Table extends SQLiteTable> = Table["_"]["columns"]

/** Those of a table that an answer names: nothing else of a row is read. */
export function shownColumns<Table extends SQLiteTable, Shape extends z.ZodRawShape>(
  table: Table,
  answer: z.ZodObject<Shape>,
): Pick<Columns<Table>, keyof Columns<Table> & keyof Shape>
export function shownColumns(table: SQLiteTable, { shape }: z.ZodObject) {
  const columns = Object.entries(getTableColumns(table))
  return Object.fromEntries(columns.filter(([name]) => name in shape))
}
