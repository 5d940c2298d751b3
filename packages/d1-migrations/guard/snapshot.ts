import type { Declaration } from "../files/declarations.ts"
import type { Home } from "../reading/homes.ts"
import { isNumbered, isRowid, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import type { Allowed, Cell, Pairing } from "./compare.ts"
import type { GuardedTable, Judged } from "./guarded-tables.ts"
import { chunked, eachOnce } from "./seeded-conditions.ts"
import { comparedRows } from "./size.ts"

export type Guarding = Judged & {
  one: GuardedTable
  rows: number
  /** The name of a snapshot, or a query of the table that is about to go. */
  kept: string
  isLive?: boolean
  /** Whether rows of others come together with its own. */
  isShared?: boolean
}

/** Whether nothing but the number of its rows is compared. */
export function isCounted({ one, rows }: Pick<Guarding, "one" | "rows">): boolean {
  return rows > comparedRows && one.few === undefined && one.homes.some(({ same }) => same)
}

export function snapshotColumns({ columns, isNumbered: numbered }: GuardedTable): string {
  const values = [...columns].map(([name, as]) => `+${quoteName(name)} AS ${as}`)
  return [...(numbered ? ["rowid AS n"] : []), ...values].join(", ")
}

export function snapshotOf(guarding: Guarding): string[] {
  const { one, kept } = guarding
  const from = quoteName(one.table.name)
  if (isCounted(guarding)) return [`CREATE TABLE ${kept} AS SELECT count(*) AS n FROM ${from};`]
  const few = one.few === undefined ? "" : ` WHERE ${one.few}`
  return [
    `CREATE TABLE ${kept} AS SELECT ${snapshotColumns(one)} FROM ${from}${few};`,
    ...eachOnce(one.seeds)
      .flatMap(chunked)
      .map(
        (chunk) =>
          `DELETE FROM ${kept} WHERE rowid IN (SELECT min(rowid) FROM ${kept} WHERE ${balanced(chunk, "OR")} GROUP BY ${[...one.columns.values()].join(", ")});`,
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

/** How the rows of a home are found; undefined where only whole rows can be looked for. */
export function pairingOf(
  guardedTable: GuardedTable,
  home: Home,
  declarations: Declaration[],
): Pairing | undefined {
  const { table, columns } = guardedTable
  if (guardedTable.keepsNumbers && isNumbered(home.table)) return { by: "number" }
  const key = table.primaryKey.flatMap((name): [string, string][] => {
    const [before, is] = [columns.get(name), home.columns.get(name)]
    const isFree = isDeclaredColumn(declarations, table.name, name)
    return before === undefined || is === undefined || isFree ? [] : [[before, is]]
  })
  const names = key.map(([, is]) => is)
  const isKey = home.table.uniques.some(
    (unique) => unique.length === names.length && unique.every((name) => names.includes(name)),
  )
  if (key.length > 0 && key.length === table.primaryKey.length && isKey) {
    const [keyColumn = "", ...otherKeyColumns] = table.primaryKey
    const isWhole =
      otherKeyColumns.length === 0 &&
      isRowid(table, keyColumn) &&
      isRowid(home.table, names[0] ?? "")
    return { by: key.map(([before, is]) => [before, quoteName(is)]), isWhole }
  }
  return staysNumbered(guardedTable, home) ? { by: "number" } : undefined
}

/** Whether a table is there as it was, and a number of a row means the same row. */
export function staysNumbered(guardedTable: GuardedTable, home: Home): boolean {
  return home.same && guardedTable.isNumbered && isNumbered(home.table)
}

/** Columns that have a place in a home, with what is declared of them; those that are declared to be elsewhere stand apart. */
export function cellsOf({ one, declarations }: Guarding, home: Home): Cell[] {
  return [...one.columns].flatMap(([name, alias]): Cell[] => {
    const { to, ...allowed } = allowedOf(declarations, one.table.name, name)
    const isHere = to === undefined || isSameName(to.table, home.table.name)
    const column =
      to === undefined
        ? home.columns.get(name)
        : home.table.columns.find((each) => isSameName(each.name, to.column))?.name
    if (!isHere || column === undefined || allowed.loses === Infinity) return []
    const isFull = one.table.columns.some((each) => each.name === name && each.notNull)
    return [{ ...allowed, name, was: alias, is: quoteName(column), isFull }]
  })
}
