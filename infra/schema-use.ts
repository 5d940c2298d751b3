import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"

import { schema } from "../app/schema.ts"

/**
 * The columns that this build uses, by table: all that its tables name, because an INSERT of
 * drizzle's names them all. A migration may take away only what no version with traffic uses.
 */
export function schemaUse(): Record<string, string[]> {
  const tables = Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? [table] : []))
  return Object.fromEntries(
    tables.map((table) => {
      const { name, columns } = getTableConfig(table)
      return [name, columns.map((column) => column.name)]
    }),
  )
}
