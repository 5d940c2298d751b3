import { getTableColumns } from "drizzle-orm"
import { customType, integer, type SQLiteTable } from "drizzle-orm/sqlite-core"
import type * as z from "zod"

/**
 * Declares a text column of at most `length` UTF-16 units. Parsers reject longer input first; this limit throws for
 * input that they missed.
 */
export function text(name: string, length: number) {
  return customType<{ data: string; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => {
      if (value.length <= length) return value
      throw new Error(`${name} has at most ${length} characters, not ${value.length}`)
    },
  })(name)
}

/**
 * Declares a text column with one value of a list. The list exists only in the code, so it can grow without a
 * migration. Other values are never written.
 */
export function listed<const Value extends string>(name: string, values: readonly Value[]) {
  return customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => {
      if (values.includes(value)) return value
      throw new Error(`${name} is one of ${values.join(", ")}, not ${JSON.stringify(value)}`)
    },
  })(name)
}

/** Stored as milliseconds since 1970, read as Date. */
export function timestamp(name: string) {
  return integer(name, { mode: "timestamp_ms" })
}

type ColumnsOf<Table extends SQLiteTable> = Table["_"]["columns"]

/** Returns the columns of a table that a response contains, so that no others are read. */
export function shownColumns<Table extends SQLiteTable, Shape extends z.ZodRawShape>(
  table: Table,
  answer: z.ZodObject<Shape>,
): Pick<ColumnsOf<Table>, keyof ColumnsOf<Table> & keyof Shape>
export function shownColumns(table: SQLiteTable, { shape }: z.ZodObject) {
  const columns = Object.entries(getTableColumns(table))
  return Object.fromEntries(columns.filter(([name]) => name in shape))
}
