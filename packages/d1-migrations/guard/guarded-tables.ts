import type { Analysis } from "../analysis/analysis.ts"
import { valueColumns, type Destination, destinationsOf } from "../analysis/destinations.ts"
import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { findTable, isNumbered, isSameName, type Table } from "../schema/schema.ts"
import { isContentless, usesNumbers } from "./hidden-rows.ts"
import { namedRows } from "./named-rows.ts"
import { findLiteralRows } from "./seeded-conditions.ts"

export type Judged = {
  file: Migration
  analysis: Analysis
  declarations: Declaration[]
  /** Existing rows that earlier files inserted, by table: SQL by column. */
  seeds: Map<string, Record<string, string>[]>
}

/** An original table that may lose rows or values, and where these have to be. */
export type GuardedTable = {
  table: Table
  destinations: Destination[]
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
  const { analysis, declarations, seeds } = judged
  const { taken, added, repeated, written } = analysis.reach
  const tables = [...taken, ...repeated].flatMap((name) => findTable(analysis.before, name) ?? [])
  const destinations = new Map(
    tables.map((table) => [table.name, destinationsOf(analysis, table, declarations)]),
  )
  // Tables that get rows of others: their existing rows must not count as those.
  const receiving = [...destinations].flatMap(([name, tableDestinations]) =>
    tableDestinations.flatMap((destination) =>
      destination.same
        ? []
        : analysis.before.filter(
            (table) =>
              table.name !== name &&
              analysis.tables.findByOriginalName(table.name) === destination.live,
          ),
    ),
  )
  const beside = receiving.filter(({ name }) => added.includes(name))
  return [...new Set([...tables, ...beside])].flatMap((table): GuardedTable[] => {
    const bound = declaredRows(declarations, "loses", table.name)
    if (bound === Number.MAX_SAFE_INTEGER) return []
    const everyDestination =
      destinations.get(table.name) ?? destinationsOf(analysis, table, declarations)
    // No copy can have what a contentless table holds.
    const usableDestinations = isContentless(analysis.objects, table)
      ? everyDestination.filter(({ same }) => same)
      : everyDestination
    const storedColumns = valueColumns(table, usableDestinations)
    const columns = new Map(storedColumns.map((name, index) => [name, `c${index}`]))
    const numbers = written.get(table.name) ?? []
    const writing = analysis.steps.filter(({ number }) => numbers.includes(number))
    const [destination] = usableDestinations
    const isFew = !repeated.includes(table.name) && !beside.includes(table)
    const isNumber = isNumbered(table) && storedColumns.length < mostColumns
    const uses = usesNumbers(analysis.objects, table) && usableDestinations.length === 1 && isNumber
    return [
      {
        table,
        destinations: usableDestinations,
        bound,
        repeats: declaredRows(declarations, "repeats", table.name),
        columns,
        isNumbered: isNumber,
        keepsNumbers: uses,
        few:
          destination?.same === true && isFew && writing.length > 0 && !table.virtual
            ? namedRows(table, writing)
            : undefined,
        seeds: findLiteralRows(seeds.get(table.name) ?? [], columns),
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
