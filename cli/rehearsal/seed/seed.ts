import { Failure, messageOf } from "../../../failure.ts"
import { ledgerTable, sidecarTable } from "../../../provider/migrations/own-tables.ts"
import { quoteName, readSchema } from "../../../provider/migrations/rehearsal/schema.ts"
import {
  type SchemaObject,
  scratchDatabaseOf,
} from "../../../provider/migrations/rehearsal/scratch-database.ts"
import { type FilledTable, fillTable, insertion } from "./fill-table.ts"
import { slotsOf } from "./slots.ts"
import { orderTables, type Turn } from "./table-order.ts"

export type Seed = {
  /** To be sent one after the other, each as one request. */
  scripts: string[]
  /** Rows by table, as SQLite in memory has them afterwards: triggers may add some. */
  rows: Map<string, number>
  /** Tables with fewer rows than asked for, and why. */
  shortages: { table: string; rows: number; reason: string }[]
}

/** Bytes of a request, and of a statement: D1 takes 100,000 of the latter. */
const limits = { script: 1_000_000, statement: 90_000 }

/**
 * Rows for every table of a schema: parents before children, each value that a list allows, and
 * values at the ends of what each column takes. The same schema always gets the same rows.
 */
export function seedOf(objects: SchemaObject[], count: number): Seed {
  using database = scratchDatabaseOf(objects)
  const schema = readSchema(database).filter(({ name }) => !ownTables.has(name))
  const turns = orderTables(schema)
  const isAhead = turns.some(({ ahead }) => ahead.length > 0)
  database.exec(isAhead ? `BEGIN; ${deferred}` : "BEGIN")
  const filled = turns.map((turn) =>
    fillTable({ database, table: turn.table, slots: slotsOf({ database, schema, turn }), count }),
  )
  const closing = turns.flatMap(closeCircles)
  for (const sql of closing) database.exec(sql)
  try {
    database.exec("COMMIT")
  } catch (error) {
    const names = turns.filter(({ ahead }) => ahead.length > 0).map(({ table }) => table.name)
    const message = `the tables ${names.join(", ")} refer to each other in a circle for which no rows were found: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
  const statements = [...filled.flatMap(insertionsOf), ...closing]
  const counted = schema.map(({ name }): [string, number] => {
    const [row] = database.rows(`SELECT count(*) AS rows FROM ${quoteName(name)}`)
    return [name, Number(row?.["rows"])]
  })
  return {
    // Rows that refer to later ones must be in the database together with those.
    scripts: isAhead ? [[deferred, ...statements].join("\n")] : chunk(statements),
    rows: new Map(counted),
    shortages: filled.flatMap(({ table, rows, shortage }) =>
      shortage === undefined ? [] : [{ table: table.name, rows: rows.length, reason: shortage }],
    ),
  }
}

const ownTables = new Set([ledgerTable, sidecarTable])
const deferred = "PRAGMA defer_foreign_keys = ON;"

/** Gives most rows the references that had to wait for rows of later tables. */
function closeCircles({ table, postponed }: Turn): string[] {
  const name = quoteName(table.name)
  return postponed.map(({ columns, parent, parentColumns }) => {
    const from = parentColumns.map(quoteName).join(", ")
    const filled = parentColumns.map((column) => `${quoteName(column)} IS NOT NULL`).join(" AND ")
    const some = table.withoutRowid ? "1" : `${name}.rowid % 4`
    const first = `SELECT ${from} FROM ${quoteName(parent)} WHERE ${filled} ORDER BY ${from} LIMIT 7`
    const which = table.withoutRowid
      ? "1"
      : `1 + abs(${name}.rowid) % (SELECT count(*) FROM (${first}))`
    return `UPDATE OR IGNORE ${name} SET (${columns.map(quoteName).join(", ")}) =
(SELECT ${from} FROM (SELECT *, row_number() OVER () AS place FROM (${first})) WHERE place = ${which})
WHERE ${some} <> 0;`
  })
}

/** One statement for many rows, each below D1's limit. */
function insertionsOf({ table, columns, rows }: FilledTable): string[] {
  return splitBySize(rows, limits.statement, (row) => row.join(", ")).map((some) =>
    insertion(table, columns, some),
  )
}

function chunk(statements: string[]): string[] {
  return splitBySize(statements, limits.script, (sql) => sql).map((some) => some.join("\n"))
}

function splitBySize<Part>(parts: Part[], limit: number, textOf: (part: Part) => string): Part[][] {
  const groups: Part[][] = []
  let size = limit
  for (const part of parts) {
    const bytes = Buffer.byteLength(textOf(part)) + 4
    if (size + bytes > limit) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(part)
    size += bytes
  }
  return groups
}
