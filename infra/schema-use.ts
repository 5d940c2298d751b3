import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"

import { schema } from "../app/schema.ts"

/**
 * Returns the columns that this build uses, by table. They are all columns of its tables, because drizzle's INSERT
 * names every one. A migration may remove only columns that no deployed version uses.
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
