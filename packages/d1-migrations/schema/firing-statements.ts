import { quoteName } from "./schema.ts"
import type { ScratchDatabase } from "./scratch-database.ts"

/** Statements on a table or view to compile, not to run: each of its triggers is compiled along with one. */
export function firingStatements(database: ScratchDatabase, table: string): string[] {
  const name = quoteName(table)
  const columns = database.texts("SELECT name FROM temp.pragma_table_info(?)", table)
  const same = columns.map(quoteName).map((one) => `${one} = ${one}`)
  return [
    `UPDATE ${name} SET ${same.join(", ")}`,
    `DELETE FROM ${name}`,
    `INSERT INTO ${name} DEFAULT VALUES`,
  ]
}
