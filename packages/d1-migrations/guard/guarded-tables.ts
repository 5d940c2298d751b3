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
  /** Existing rows that earlier files inserted, by table: SQL by column. */
  seeds: Map<string, Record<string, string>[]>
}

/** Sums up the declarations of a column: none takes back what another allows. */
type Allowed = {
  changes: boolean
  /** How many of its values may become NULL, and how many may go or be others. */
  empties: number
  loses: number
  to: { table: string; column: string } | undefined
}

/** An original column that holds values. */
export type GuardedColumn = Allowed & {
  name: string
  /** Its name in the snapshot. */
  was: string
  /** Whether it is NULL in no row. */
  isFull: boolean
}

/** A column in the snapshot and its name, in quotes, in a destination. */
export type Cell = GuardedColumn & { is: string }

/** A destination, its columns, and how the row there is found for an original one. */
export type Place = Destination & {
  /** Without columns that are declared to go, or to move elsewhere. */
  cells: Cell[]
  /** The primary key, if it is unique there as well. */
  key: Cell[]
  /** Whether the key is a whole number in both, which no type converts. */
  isWhole: boolean
  /** Whether the table is there as it was, and a number of a row means the same row. */
  staysNumbered: boolean
  /** Undefined if only whole rows can be looked for. */
  pairing: "number" | "key" | undefined
}

/** An original table that may lose rows or values, and where these have to be. */
export type GuardedTable = {
  table: Table
  places: Place[]
  /** Rows that are declared to go, and to be there again. */
  bound: number
  repeats: number
  columns: GuardedColumn[]
  /** Whether a snapshot has the numbers of its rows. */
  isNumbered: boolean
  /** A condition for all rows that the file can touch; undefined if that is any. */
  few: string | undefined
  /** Rows that earlier files have written: conditions on the snapshot. */
  seedConditions: string[]
  /** Whether an INSERT may add rows again that it has. */
  isRepeated: boolean
}

/** Columns of a result of D1. */
const mostColumns = 100

/** Describes all that is compared: statements, reports and printed lines follow from these rows. */
export function guardedTables({ analysis, declarations, seeds }: Judged): GuardedTable[] {
  const { taken, added, repeated, written } = analysis.reach
  const reduced = [...taken, ...repeated].flatMap((name) => findTable(analysis.before, name) ?? [])
  const moves = reduced
    .flatMap((table) => destinationsOf(analysis, table, declarations))
    .filter(({ same }) => !same)
  // Tables that get rows of others: their existing rows must not count as those.
  const receiving = analysis.before.filter(({ name }) => {
    const live = analysis.tables.findByOriginalName(name)
    return added.includes(name) && moves.some((move) => move.live === live)
  })
  return [...new Set([...reduced, ...receiving])].flatMap((table): GuardedTable[] => {
    const bound = declaredRows(declarations, "loses", table.name)
    if (bound === Number.MAX_SAFE_INTEGER) return []
    const { objects } = analysis
    // No copy can have what a contentless table holds.
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

/** More rows of earlier files are compared as all others are. */
const mostSeeds = 2000
const mostSeedBytes = 50_000

/** Met by rows that are whole as an earlier file has written them. */
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

/** Whether no value of it has to be anywhere. */
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

/** Columns of the key that may be NULL, of any number of rows. */
export function nullableKey({ table, columns }: GuardedTable): GuardedColumn[] {
  return columns.filter(
    ({ name, isFull }) =>
      table.primaryKey.includes(name) && !table.withoutRowid && !isFull && !isRowid(table, name),
  )
}
