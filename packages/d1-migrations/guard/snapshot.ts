import type { Destination } from "../analysis/destinations.ts"
import type { Declaration } from "../files/declarations.ts"
import { isNumbered, isRowid, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import type { Allowed, Cell, Pairing } from "./compare.ts"
import type { GuardedTable, Judged } from "./guarded-tables.ts"
import { chunkConditions, splitRepeats } from "./seeded-conditions.ts"
import { comparedRows } from "./size.ts"

export type Guarding = Judged & {
  guarded: GuardedTable
  rows: number
  /** The name of a snapshot, or a query of the table that is about to go. */
  snapshot: string
  isLive?: boolean
  /** Whether rows of others come together with its own. */
  isShared?: boolean
}

/** Whether nothing but the number of its rows is compared. */
export function isCounted({ guarded, rows }: Pick<Guarding, "guarded" | "rows">): boolean {
  return (
    rows > comparedRows &&
    guarded.few === undefined &&
    guarded.destinations.some(({ same }) => same)
  )
}

export function snapshotColumns({ columns, isNumbered: numbered }: GuardedTable): string {
  const values = [...columns].map(([name, as]) => `+${quoteName(name)} AS ${as}`)
  return [...(numbered ? ["rowid AS n"] : []), ...values].join(", ")
}

export function snapshotOf(guarding: Guarding): string[] {
  const { guarded, snapshot } = guarding
  const from = quoteName(guarded.table.name)
  if (isCounted(guarding)) return [`CREATE TABLE ${snapshot} AS SELECT count(*) AS n FROM ${from};`]
  const few = guarded.few === undefined ? "" : ` WHERE ${guarded.few}`
  return [
    `CREATE TABLE ${snapshot} AS SELECT ${snapshotColumns(guarded)} FROM ${from}${few};`,
    ...splitRepeats(guarded.seeds)
      .flatMap(chunkConditions)
      .map(
        (chunk) =>
          `DELETE FROM ${snapshot} WHERE rowid IN (SELECT min(rowid) FROM ${snapshot} WHERE ${balanced(chunk, "OR")} GROUP BY ${[...guarded.columns.values()].join(", ")});`,
      ),
  ]
}

export function isDeclaredColumn(
  declarations: Declaration[],
  table: string,
  column: string,
): boolean {
  return declaredOf(declarations, table, column).length > 0
}

function declaredOf(declarations: Declaration[], table: string, column: string) {
  return declarations.flatMap((declaration) =>
    "column" in declaration &&
    isSameName(declaration.table, table) &&
    isSameName(declaration.column, column)
      ? [declaration]
      : [],
  )
}

type Moved = Allowed & { to: { table: string; column: string } | undefined }

/** What is declared of a column, taken together: one line more never takes back what another one allows. */
export function allowedOf(declarations: Declaration[], table: string, column: string): Moved {
  const allowed: Moved = { changes: false, empties: 0, loses: 0, to: undefined }
  for (const declaration of declaredOf(declarations, table, column)) {
    if (declaration.does === "changes") allowed.changes = true
    if (declaration.does === "empties") allowed.empties = declaration.atMost
    if (declaration.does === "moves values") allowed.to = declaration.to
    if (declaration.does === "loses values") {
      allowed.loses = declaration.atMost === Number.MAX_SAFE_INTEGER ? Infinity : declaration.atMost
    }
  }
  return allowed
}

/** Columns of the key that may be NULL, of any number of rows. */
export function nullableKey(table: Table): string[] {
  const { primaryKey, columns, withoutRowid } = table
  if (withoutRowid) return []
  const isNullable = ({ name, notNull }: Table["columns"][number]) =>
    primaryKey.includes(name) && !notNull && !isRowid(table, name)
  return columns.filter(isNullable).map(({ name }) => name)
}

/** How the rows of a destination are found; undefined where only whole rows can be looked for. */
export function pairingOf(
  guardedTable: GuardedTable,
  destination: Destination,
  declarations: Declaration[],
): Pairing | undefined {
  const { table, columns } = guardedTable
  if (guardedTable.keepsNumbers && isNumbered(destination.table)) return { by: "number" }
  const key = table.primaryKey.flatMap((name): [string, string][] => {
    const [before, is] = [columns.get(name), destination.columns.get(name)]
    const isFree = isDeclaredColumn(declarations, table.name, name)
    return before === undefined || is === undefined || isFree ? [] : [[before, is]]
  })
  const names = key.map(([, is]) => is)
  const isKey = destination.table.uniques.some(
    (unique) => unique.length === names.length && unique.every((name) => names.includes(name)),
  )
  if (key.length > 0 && key.length === table.primaryKey.length && isKey) {
    const [keyColumn = "", ...otherKeyColumns] = table.primaryKey
    const isWhole =
      otherKeyColumns.length === 0 &&
      isRowid(table, keyColumn) &&
      isRowid(destination.table, names[0] ?? "")
    return { by: key.map(([before, is]) => [before, quoteName(is)]), isWhole }
  }
  return staysNumbered(guardedTable, destination) ? { by: "number" } : undefined
}

/** Whether a table is there as it was, and a number of a row means the same row. */
export function staysNumbered(guardedTable: GuardedTable, destination: Destination): boolean {
  return destination.same && guardedTable.isNumbered && isNumbered(destination.table)
}

/** Columns that a destination has, with what is declared of them, without columns that are declared to move elsewhere. */
export function cellsOf({ guarded, declarations }: Guarding, destination: Destination): Cell[] {
  return [...guarded.columns].flatMap(([name, alias]): Cell[] => {
    const { to, ...allowed } = allowedOf(declarations, guarded.table.name, name)
    const isHere = to === undefined || isSameName(to.table, destination.table.name)
    const column =
      to === undefined
        ? destination.columns.get(name)
        : destination.table.columns.find((each) => isSameName(each.name, to.column))?.name
    if (!isHere || column === undefined || allowed.loses === Infinity) return []
    const isFull = guarded.table.columns.some((each) => each.name === name && each.notNull)
    return [{ ...allowed, name, was: alias, is: quoteName(column), isFull }]
  })
}
