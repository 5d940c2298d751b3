import type { Declaration } from "../files/declarations.ts"
import type { Home } from "../reading/homes.ts"
import { isNumbered, isRowid, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import { balanced } from "./balanced.ts"
import { type Cell, most, type Pairing, said } from "./compare.ts"
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
  const values = [...columns].map(([was, as]) => `+${quoteName(was)} AS ${as}`)
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
        (some) =>
          `DELETE FROM ${kept} WHERE rowid IN (SELECT min(rowid) FROM ${kept} WHERE ${balanced(some, "OR")} GROUP BY ${[...one.columns.values()].join(", ")});`,
      ),
  ]
}

export function declaredOf(
  declarations: Declaration[],
  table: string,
  column: string,
): Declaration[] {
  return declarations.filter(
    (one) => "column" in one && isSameName(one.table, table) && isSameName(one.column, column),
  )
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
  one: GuardedTable,
  home: Home,
  declarations: Declaration[],
): Pairing | undefined {
  const { table, columns } = one
  if (one.keepsNumbers && isNumbered(home.table)) return { by: "number" }
  const key = table.primaryKey.flatMap((name): [string, string][] => {
    const [was, is] = [columns.get(name), home.columns.get(name)]
    const isStrict = declaredOf(declarations, table.name, name).length === 0
    return was === undefined || is === undefined || !isStrict ? [] : [[was, is]]
  })
  const names = key.map(([, is]) => is)
  const isKey = home.table.uniques.some(
    (unique) => unique.length === names.length && unique.every((name) => names.includes(name)),
  )
  if (key.length > 0 && key.length === table.primaryKey.length && isKey) {
    return { by: key.map(([was, is]) => [was, quoteName(is)]) }
  }
  return staysNumbered(one, home) ? { by: "number" } : undefined
}

/** Whether a table is there as it was, and a number of a row means the same row. */
export function staysNumbered(one: GuardedTable, home: Home): boolean {
  return home.same && one.isNumbered && isNumbered(home.table)
}

/** Columns that have a place in a home, with what is declared of them; those that are declared to be elsewhere stand apart. */
export function cellsOf({ one, declarations }: Guarding, home: Home): Cell[] {
  const { table, columns } = one
  return [...columns].flatMap(([name, was]): Cell[] => {
    const declared = declaredOf(declarations, table.name, name)
    const [first] = declared
    const cell = {
      name,
      was,
      is: quoteName(home.columns.get(name) ?? ""),
      declared: undefined,
      bound: 0,
    }
    if (first?.does === "moves values") {
      const to = home.table.columns.find((each) => isSameName(each.name, first.to.column))
      const isHere = isSameName(first.to.table, home.table.name) && to !== undefined
      return isHere ? [{ ...cell, is: quoteName(to.name) }] : []
    }
    if (!home.columns.has(name)) return []
    if (first?.does === "loses values") {
      return first.atMost === Number.MAX_SAFE_INTEGER
        ? []
        : [{ ...cell, declared: "loses", bound: first.atMost }]
    }
    if (first?.does === "changes") return [{ ...cell, declared: "changes" }]
    return [
      first?.does === "empties" ? { ...cell, declared: "empties", bound: first.atMost } : cell,
    ]
  })
}

/** A line where more are counted than may be. */
export function lineFor(
  begin: string,
  count: string,
  what: string,
  [does = "", name = ""]: string[],
  bound: number,
): string {
  const line = said(begin, [literal(`${does}${name}, at most `), "n", "' rows'"])
  return `(SELECT CASE WHEN n > ${most(bound)} THEN n || ${literal(what)} || ${line} ELSE '' END FROM (SELECT ${count} AS n))`
}
