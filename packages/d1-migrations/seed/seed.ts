import { Failure, messageOf } from "../failure.ts"
import { quoteName, readSchema } from "../schema/schema.ts"
import { type SchemaObject, scratchDatabaseOf } from "../schema/scratch-database.ts"
import { closeCircles } from "./close-circles.ts"
import { type FilledTable, fillTable } from "./fill-table.ts"
import { insertion } from "./open-table.ts"
import { slotsOf } from "./slots.ts"
import { orderTables } from "./table-order.ts"

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
  const schema = readSchema(database).filter(({ virtual }) => !virtual)
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

const deferred = "PRAGMA defer_foreign_keys = ON;"

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
