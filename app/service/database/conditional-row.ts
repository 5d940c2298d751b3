import { getTableColumns, is, sql, SQL } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

type OrSql<Values> = { [Name in keyof Values]: Values[Name] | SQL }

/**
 * A row for `insert(table).select(…)`, inserted only if the condition holds: `select <values> where
 * <condition>`, with the values in the order in which drizzle names the table's columns.
 */
export function rowIf<Table extends SQLiteTable>(
  table: Table,
  row: OrSql<Table["$inferInsert"]>,
  condition: SQL,
) {
  const given = new Map<string, unknown>(Object.entries(row))
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = given.get(name) ?? column.default ?? null
    return is(value, SQL) ? value : sql.param(value, column)
  })
  return sql`select ${sql.join(values, sql`, `)} where ${condition}`
}
