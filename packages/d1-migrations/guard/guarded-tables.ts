import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { heldColumns, type Home, homesOf } from "../reading/homes.ts"
import type { Reading } from "../reading/reading.ts"
import { findTable, isNumbered, isSameName, type Table } from "../schema/schema.ts"
import { isContentless, usesNumbers } from "./hidden-rows.ts"
import { namedRows } from "./named-rows.ts"
import { literalRowsIn } from "./seeded-conditions.ts"

export type Judged = {
  file: Migration
  reading: Reading
  declarations: Declaration[]
  /** Rows of before that earlier files have put there, by table: SQL by column. */
  seeds: Map<string, Record<string, string>[]>
}

/** A table of before of which rows or values may go, and where they have to be. */
export type GuardedTable = {
  table: Table
  homes: Home[]
  /** Rows that are declared to go, and to be there once more. */
  bound: number
  repeats: number
  /** Columns that hold values, by the names that a snapshot has for them. */
  columns: Map<string, string>
  /** Whether a snapshot has the numbers of its rows, and each row has to keep its own. */
  isNumbered: boolean
  keepsNumbers: boolean
  /** A condition for all rows that the file can touch; undefined where that is any. */
  few: string | undefined
  /** Rows that earlier files have put there: conditions on the snapshot. */
  seeds: string[]
  /** Whether an INSERT may add rows again that it has. */
  isRepeated: boolean
}

/** Columns of a result of D1. */
const mostColumns = 100

export function guardedTables(judged: Judged): GuardedTable[] {
  const { reading, declarations, seeds } = judged
  const { taken, added, repeated, written } = reading.reach
  const tables = [...taken, ...repeated].flatMap((name) => findTable(reading.before, name) ?? [])
  const homes = new Map(tables.map((table) => [table.name, homesOf(reading, table, declarations)]))
  // Those to which rows of others come: what is there already is not found in their place.
  const receiving = [...homes].flatMap(([name, tableHomes]) =>
    tableHomes.flatMap((home) =>
      home.same
        ? []
        : reading.before.filter(
            (table) => table.name !== name && reading.tables.first(table.name) === home.live,
          ),
    ),
  )
  const beside = receiving.filter(({ name }) => added.includes(name))
  return [...new Set([...tables, ...beside])].flatMap((table): GuardedTable[] => {
    const bound = declaredRows(declarations, "loses", table.name)
    if (bound === Number.MAX_SAFE_INTEGER) return []
    const everyHome = homes.get(table.name) ?? homesOf(reading, table, declarations)
    // What is known to nobody once it goes is in no copy.
    const usableHomes = isContentless(reading.objects, table)
      ? everyHome.filter(({ same }) => same)
      : everyHome
    const storedColumns = heldColumns(table, usableHomes)
    const columns = new Map(storedColumns.map((name, index) => [name, `c${index}`]))
    const numbers = written.get(table.name) ?? []
    const writing = reading.steps.filter(({ number }) => numbers.includes(number))
    const [home] = usableHomes
    const isFew = !repeated.includes(table.name) && !beside.includes(table)
    const isNumber = isNumbered(table) && storedColumns.length < mostColumns
    const uses = usesNumbers(reading.objects, table) && usableHomes.length === 1 && isNumber
    return [
      {
        table,
        homes: usableHomes,
        bound,
        repeats: declaredRows(declarations, "repeats", table.name),
        columns,
        isNumbered: isNumber,
        keepsNumbers: uses,
        few:
          home?.same === true && isFew && writing.length > 0 && !table.virtual
            ? namedRows(table, writing)
            : undefined,
        seeds: literalRowsIn(seeds.get(table.name) ?? [], columns),
        isRepeated: repeated.includes(table.name),
      },
    ]
  })
}

function declaredRows(declarations: Declaration[], does: string, table: string): number {
  const declared = declarations.find(
    (declaration) =>
      declaration.does === does &&
      !("column" in declaration) &&
      isSameName(declaration.table ?? "", table),
  )
  return declared !== undefined && "atMost" in declared ? declared.atMost : 0
}
