import type { SQLInputValue } from "node:sqlite"

import * as z from "zod"

import { messageOf } from "../failure.ts"
import { type Column, quoteName, readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"

const Trigger = z.object({ name: z.string(), sql: z.string() })

/**
 * Gives every table a row without an empty reference. Checks and triggers are not asked, because
 * no program can guess what they want; checks stay off for the statements that follow.
 * @throws Error naming a table that takes no row
 */
export function seedRows(database: ScratchDatabase): void {
  const triggers = database
    .rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .map((row) => Trigger.parse(row))
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${quoteName(name)}`)
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;")
  const schema = readSchema(database)
  const numbers = numberColumns(schema)
  for (const table of schema) {
    try {
      seedRow(database, table, numbers)
    } catch (error) {
      const message = `the table ${table.name} takes no row for a rehearsal: ${messageOf(error)}`
      throw new Error(message, { cause: error })
    }
  }
  database.exec("PRAGMA foreign_keys = ON;")
  for (const { sql } of triggers) database.exec(sql)
}

function seedRow(database: ScratchDatabase, table: Table, numbers: Map<string, number>): void {
  const columns = table.columns.filter((column) => !column.generated)
  const names = columns.map(({ name }) => quoteName(name)).join(", ")
  const marks = columns.map(() => "?").join(", ")
  const values = columns.map((column) =>
    valueFor({ table, column, number: numbers.get(keyOf(table.name, column.name)) ?? 0 }),
  )
  database.rows(`INSERT INTO ${quoteName(table.name)} (${names}) VALUES (${marks})`, ...values)
}

/** Far from the values that migrations insert. */
const firstNumber = 900_000_000

/**
 * A number for each column of the schema: the same for columns that refer to each other, in however
 * many steps and circles, and else one of its own.
 */
function numberColumns(schema: Table[]): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const table of schema) {
    for (const { name } of table.columns) {
      numbers.set(keyOf(table.name, name), firstNumber + numbers.size)
    }
  }
  for (const table of schema) {
    for (const { columns, parent, parentColumns } of table.foreignKeys) {
      for (const [index, column] of columns.entries()) {
        const parentNumber = numbers.get(keyOf(parent, parentColumns[index] ?? ""))
        const replaced = numbers.get(keyOf(table.name, column))
        if (parentNumber === undefined) continue
        for (const [key, number] of numbers) if (number === replaced) numbers.set(key, parentNumber)
      }
    }
  }
  return numbers
}

function keyOf(table: string, column: string): string {
  return `${table}.${column}`.toLowerCase()
}

/** By SQLite's rules of affinity; the digits in a text column are also valid JSON. */
function valueFor(cell: { table: Table; column: Column; number: number }): SQLInputValue {
  const { table, column, number } = cell
  if (/INT/.test(column.type)) return number
  if (/CHAR|CLOB|TEXT/.test(column.type)) return String(number)
  if (/BLOB/.test(column.type) && table.strict) return Buffer.from(String(number))
  return number
}
