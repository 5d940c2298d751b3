import type { Classification } from "../classification/classification.ts"
import type { Copy } from "../classification/copies.ts"
import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import type { Loss } from "../provenance/losses.ts"
import type { Place, Whereabouts } from "../provenance/places.ts"
import { classOf } from "../provenance/wording.ts"
import { findTable, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import type { KeptRows } from "./kept-rows.ts"

export type Judged = {
  file: Migration
  before: Table[]
  classification: Classification
  declarations: Declaration[]
}

/** A table of before of which rows or values may go, and what must be left of it. */
export type GuardedTable = {
  table: Table
  /** Where its rows are when the file has run. */
  targets: string[]
  /** Whether the file drops it, so that it makes a copy of it. */
  dropped: boolean
  copy: Copy | undefined
  /** Rows that are declared to go. */
  bound: number
  /** Columns by the names that a snapshot has for them. */
  columns: Map<string, string>
  /** What finds its rows by their numbers. */
  numbered: boolean
  parts: Part[]
}

/** Columns that are together somewhere. */
type Part = Pick<KeptRows, "columns" | "key" | "targets" | "numbers"> & {
  /** Their names, and those of the tables. */
  names: string[]
  places: string[]
  /** How many values are declared to go, beside the rows. */
  bound: number
}

/** Columns of a table in SQLite, one of which a snapshot needs for the numbers of rows. */
const mostColumns = 100

export function guardedTables(judged: Judged): GuardedTable[] {
  const { before, classification, declarations } = judged
  return classification.taken.flatMap((name): GuardedTable[] => {
    const table = findTable(before, name)
    const bound = declaredLoss(declarations, name)
    if (table === undefined || bound === Number.MAX_SAFE_INTEGER) return []
    const excused = classification.provenance.excused.get(table.name) ?? 0
    return [guarded(judged, table, bound + excused)]
  })
}

/** Tables that have AUTOINCREMENT before and after, but in the trial gave a number again. */
export function renumberedTables({ classification }: Judged): string[] {
  return classification.provenance.losses.flatMap(({ part }) =>
    part?.kind === "sequence" ? part.table : [],
  )
}

function declaredLoss(declarations: Declaration[], table: string): number {
  const declared = declarations.find((one) => one.does === "loses" && isSameName(one.table, table))
  return declared?.does === "loses" ? declared.atMost : 0
}

function guarded(judged: Judged, table: Table, bound: number): GuardedTable {
  const { after } = judged.classification
  const places = placesOf(judged.classification, table)
  const stored = table.columns.filter(({ generated }) => !generated)
  const columns = new Map(stored.map(({ name }, index) => [name, `c${index}`]))
  const differing = new Map(stored.map(({ name }) => [name, mostDiffering(judged, table, name)]))
  const kept = stored.map(({ name }) => name).filter((name) => differing.get(name) === 0)
  const tablesOf = (name: string) =>
    places.filter((place) => place.columns.some(([was]) => was === name)).map(({ to }) => to)
  const primary = table.columns.filter(({ inPrimaryKey }) => inPrimaryKey).map(({ name }) => name)
  const numbered = isNumbered(table) && stored.length < mostColumns

  const partOf = (tables: string[], names: string[], least = 0): Part => {
    const homes = places.filter(({ to }) => tables.includes(to))
    const keyed =
      primary.length > 0 &&
      primary.every((name) => names.includes(name)) &&
      homes.every((home) => isKeyOf(home, primary, findTable(after, home.to)))
    const [home] = homes
    const now = findTable(after, home?.to ?? "")
    const counted = homes.length === 1 && now !== undefined && isNumbered(now)
    const own = home?.same === true ? ["n"] : ["rowid", "n"]
    return {
      names,
      places: tables,
      bound: least,
      columns: names.map((name) => columns.get(name) ?? name),
      key: keyed ? primary.map((name) => columns.get(name) ?? name) : [],
      numbers: counted ? own.filter((name) => name === "rowid" || numbered) : [],
      targets: homes.map((place) => ({
        table: place.to,
        value: (alias, column) => {
          const was = names.find((name) => columns.get(name) === column)
          return valueOf(alias, place.columns.find((pair) => pair[0] === was)?.[1])
        },
      })),
    }
  }

  const together = Map.groupBy(kept, (name) => tablesOf(name).join("\n"))
  const parts = [...together.keys()].flatMap((joined): Part[] => {
    const tables = joined === "" ? [] : joined.split("\n")
    if (tables.length === 0) return []
    const names = kept.filter((name) => tables.every((one) => tablesOf(name).includes(one)))
    return [partOf(tables, names)]
  })
  const loose = [...differing].flatMap(([name, most]): Part[] => {
    if (most === 0 || most === Infinity) return []
    const names = [...primary.filter((one) => kept.includes(one)), name]
    return [partOf(tablesOf(name).slice(0, 1), names, most)]
  })
  const rows = places.length === 0 ? [partOf([], [])] : []
  const gone = (together.get("") ?? []).filter(
    (name) => places.length > 0 && lossesOf(judged.classification, table, name).length > 0,
  )
  return {
    table,
    targets: places.map(({ to }) => to),
    copy: judged.classification.copies.get(table.name),
    dropped: !places.some(({ same }) => same),
    bound,
    columns,
    numbered,
    parts: [...parts, ...loose, ...rows, ...gone.map((name) => partOf([], [name]))],
  }
}

/** Without a trial its rows have to be where they were. */
function placesOf({ provenance }: Classification, { name, columns }: Table): Place[] {
  const found = provenance.places.filter(({ from }) => isSameName(from, name))
  if (found.length === 0 && !provenance.names.has(name.toLowerCase())) {
    const own = columns.filter(({ generated }) => !generated)
    const same = own.map((one): Place["columns"][number] => [one.name, { column: one.name }])
    return [{ from: name, to: name, columns: same, same: true }]
  }
  return [...Map.groupBy(found, ({ to }) => to).values()].flatMap((list) => {
    const [first] = list
    // A value that was found in another column is no longer where it was.
    const columnsNow = new Map(list.flatMap((place) => place.columns))
    return first === undefined ? [] : [{ ...first, columns: [...columnsNow] }]
  })
}

/** Rows in which a file may give a column other values: it says so, names them, or only tidies them. */
function mostDiffering(judged: Judged, table: Table, column: string): number {
  const { file, classification, declarations } = judged
  const declared = declarations.find((one) => one.does !== "loses" && isColumn(one, table, column))
  if (declared?.does === "empties" && declared.atMost < Number.MAX_SAFE_INTEGER) {
    return declared.atMost
  }
  if (declared !== undefined) return Infinity
  const losses = lossesOf(classification, table, column)
  if (losses.length === 0 || losses.some((loss) => classOf(loss) !== "tidies")) return 0
  if (losses.some(({ kind }) => kind === "tidied")) return Infinity
  // Each row that it names takes a literal at least.
  return file.sql.match(/'(?:[^']|'')*'|\b\d+/g)?.length ?? 0
}

/** Of a column, and of whole rows. */
function lossesOf({ provenance }: Classification, table: Table, column: string): Loss[] {
  return provenance.losses.filter(
    (loss) =>
      isColumn(loss, table, column) || (loss.kind === "row" && isSameName(loss.table, table.name)),
  )
}

function isColumn(one: object, table: Table, column: string): boolean {
  return (
    "table" in one &&
    "column" in one &&
    isSameName(String(one.table), table.name) &&
    isSameName(String(one.column), column)
  )
}

function isKeyOf({ columns }: Place, primary: string[], now: Table | undefined): boolean {
  const names = primary.map((name) => columns.find(([was]) => was === name)?.[1].column)
  const keys = now?.columns.filter(({ inPrimaryKey }) => inPrimaryKey) ?? []
  return keys.length === names.length && keys.every(({ name }) => names.includes(name))
}

export function isNumbered({ withoutRowid, columns }: Table): boolean {
  return !withoutRowid && !columns.some(({ name }) => isSameName(name, "rowid"))
}

function valueOf(alias: string, { column, member, of }: Whereabouts = { column: "" }): string {
  const own = `${alias}.${quoteName(column)}`
  if (of !== undefined) {
    const [table, key, value] = [of.table, of.key, of.column].map(quoteName)
    return `(SELECT ${value} FROM ${table} WHERE ${key} = ${own})`
  }
  if (member === undefined) return own
  const path = literal(`$.${JSON.stringify(member)}`)
  return `CASE WHEN json_valid(${own}) THEN json_extract(${own}, ${path}) END`
}
