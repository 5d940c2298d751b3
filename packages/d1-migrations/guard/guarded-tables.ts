import type { Analysis } from "../analysis/analysis.ts"
import { valueColumns, type Destination, destinationsOf } from "../analysis/destinations.ts"
import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import {
  findTable,
  isNumbered,
  isRowid,
  isSameName,
  quoteName,
  type Table,
} from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import { isContentless, usesNumbers } from "./hidden-rows.ts"
import { namedRows } from "./named-rows.ts"

export type Judged = {
  file: Migration
  analysis: Analysis
  declarations: Declaration[]
  /** Rows that earlier files inserted, by table. Each row has SQL literals by column. */
  seeds: Map<string, Record<string, string>[]>
}

/** The declarations of a column, combined: each only adds permissions. */
type Allowed = {
  changes: boolean
  /** `empties`: how many values may become NULL. `loses`: how many may be lost or changed. */
  empties: number
  loses: number
  to: { table: string; column: string } | undefined
}

/** An original column that holds values. */
export type GuardedColumn = Allowed & {
  name: string
  /** The column's name in the snapshot. */
  was: string
  /** Whether the column is NOT NULL. */
  isFull: boolean
}

/** A column of the snapshot, with its quoted name in a destination. */
export type Cell = GuardedColumn & { is: string }

/** A destination, its columns, and how to find an original row there. */
export type Place = Destination & {
  /** The columns to compare, without columns that are declared lost or moved elsewhere. */
  cells: Cell[]
  /** The original primary key, if it is also unique in the destination; otherwise empty. */
  key: Cell[]
  /** Whether the key is the rowid in both tables, so its values are never converted. */
  isWhole: boolean
  /** Whether the table was not rebuilt, so that a rowid still means the same row. */
  staysNumbered: boolean
  /** Finds a row by its rowid or its key; undefined if only whole rows can be compared. */
  pairing: "number" | "key" | undefined
}

/** An original table that may lose rows or values, and the places that must have them afterwards. */
export type GuardedTable = {
  table: Table
  places: Place[]
  /** How many rows may be lost, and how many may be repeated, as declared. */
  bound: number
  repeats: number
  columns: GuardedColumn[]
  /** Whether a snapshot includes the rowids. */
  isNumbered: boolean
  /** A condition that selects the rows which the file can touch; undefined if it can touch any row. */
  few: string | undefined
  /** Conditions on the snapshot, one for each row that earlier files inserted. */
  seedConditions: string[]
  /** Whether an INSERT may add existing rows again. */
  isRepeated: boolean
}

/** D1's limit for the columns of a result. */
const mostColumns = 100

/** Lists the tables that the guard compares. Its statements and reports follow from this list. */
export function guardedTables({ analysis, declarations, seeds }: Judged): GuardedTable[] {
  const { taken, added, repeated, written } = analysis.reach
  const reduced = [...taken, ...repeated].flatMap((name) => findTable(analysis.before, name) ?? [])
  const moves = reduced
    .flatMap((table) => destinationsOf(analysis, table, declarations))
    .filter(({ same }) => !same)
  // Tables that receive rows of other tables: their existing rows must not be mistaken for received rows.
  const receiving = analysis.before.filter(({ name }) => {
    const live = analysis.tables.findByOriginalName(name)
    return added.includes(name) && moves.some((move) => move.live === live)
  })
  return [...new Set([...reduced, ...receiving])].flatMap((table): GuardedTable[] => {
    const bound = declaredRows(declarations, "loses", table.name)
    if (bound === Number.MAX_SAFE_INTEGER) return []
    const { objects } = analysis
    // A contentless table's text cannot be read, so no copy has it.
    const isHere = ({ same }: Destination) => same || !isContentless(objects, table)
    const destinations = destinationsOf(analysis, table, declarations).filter(isHere)
    const columns = valueColumns(table, destinations).map((name, index): GuardedColumn => {
      const isFull = table.columns.some((column) => column.name === name && column.notNull)
      const allowed = allowedOf(declarations, table.name, name)
      return Object.assign(allowed, { name, was: `c${index}`, isFull })
    })
    const isFound = isNumbered(table) && columns.length < mostColumns
    const keepsNumbers = destinations.length === 1 && isFound && usesNumbers(objects, table)
    const numbers = written.get(table.name) ?? []
    const writing = analysis.steps.filter(({ number }) => numbers.includes(number))
    const isRepeated = repeated.includes(table.name)
    const isFew = destinations[0]?.same === true && !isRepeated && !receiving.includes(table)
    const rowsBefore = (seeds.get(table.name) ?? []).slice(0, mostSeeds)
    return [
      {
        table,
        places: destinations.map((destination) =>
          placeOf({ table, columns, destination, isFound, keepsNumbers }),
        ),
        bound,
        repeats: declaredRows(declarations, "repeats", table.name),
        columns,
        isNumbered: isFound,
        few: isFew && writing.length > 0 && !table.virtual ? namedRows(table, writing) : undefined,
        seedConditions: rowsBefore
          .map((row) => conditionOf(row, columns))
          .filter(({ length }) => length < mostSeedBytes),
        isRepeated,
      },
    ]
  })
}

/** Limits the conditions for rows of earlier files. Rows beyond the limits are compared like any other. */
const mostSeeds = 2000
const mostSeedBytes = 50_000

/** Returns a condition for a row that is still exactly as an earlier file inserted it. */
function conditionOf(row: Record<string, string>, columns: GuardedColumn[]): string {
  return balanced(
    columns.map(({ name, was }) => `${was} IS ${row[name] ?? "NULL"}`),
    "AND",
  )
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

function allowedOf(declarations: Declaration[], table: string, column: string): Allowed {
  const allowed: Allowed = { changes: false, empties: 0, loses: 0, to: undefined }
  for (const declaration of declarations) {
    if (!("column" in declaration) || !isSameName(declaration.table, table)) continue
    if (!isSameName(declaration.column, column)) continue
    if (declaration.does === "changes") allowed.changes = true
    if (declaration.does === "empties") allowed.empties = declaration.atMost
    if (declaration.does === "loses values") allowed.loses = declaration.atMost
    if (declaration.does === "moves values") allowed.to = declaration.to
  }
  return allowed
}

export function isStrict({ changes, empties, loses }: Allowed): boolean {
  return !changes && empties === 0 && loses === 0
}

export function isDeclared(allowed: Allowed): boolean {
  return !isStrict(allowed) || allowed.to !== undefined
}

/** Returns whether all values of a column may be lost. */
export function isGivenUp({ loses }: Allowed): boolean {
  return loses === Number.MAX_SAFE_INTEGER
}

type Placed = Pick<GuardedTable, "table" | "columns"> & {
  destination: Destination
  isFound: boolean
  keepsNumbers: boolean
}

function placeOf({ table, columns, destination, isFound, keepsNumbers }: Placed): Place {
  const { table: now, columns: names, same } = destination
  const cells = columns.flatMap((column): Cell[] => {
    const { to } = column
    const is =
      to === undefined
        ? names.get(column.name)
        : now.columns.find(({ name }) => isSameName(name, to.column))?.name
    const isHere = to === undefined || isSameName(to.table, now.name)
    if (!isHere || is === undefined || isGivenUp(column)) return []
    return [Object.assign({}, column, { is: quoteName(is) })]
  })
  const paired = table.primaryKey.flatMap((key) => {
    const isKey = (cell: Cell) => cell.name === key && !isDeclared(cell)
    return cells.find(isKey) ?? []
  })
  const keyNames = paired.map(({ name }) => names.get(name) ?? "")
  const isKey =
    paired.length === table.primaryKey.length &&
    now.uniques.some(
      (unique) =>
        unique.length === keyNames.length && unique.every((name) => keyNames.includes(name)),
    )
  const [keyName = ""] = table.primaryKey
  const staysNumbered = same && isFound && isNumbered(now)
  const byNumber = (keepsNumbers && isNumbered(now)) || (!isKey && staysNumbered)
  return {
    ...destination,
    cells,
    key: isKey ? paired : [],
    isWhole: paired.length === 1 && isRowid(table, keyName) && isRowid(now, keyNames[0] ?? ""),
    staysNumbered,
    pairing: byNumber ? "number" : isKey ? "key" : undefined,
  }
}

/** Returns the columns of the primary key that may be NULL. Any number of rows may have NULL there. */
export function nullableKey({ table, columns }: GuardedTable): GuardedColumn[] {
  return columns.filter(
    ({ name, isFull }) =>
      table.primaryKey.includes(name) && !table.withoutRowid && !isFull && !isRowid(table, name),
  )
}
