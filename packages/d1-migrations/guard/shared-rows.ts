import type { Table } from "../schema/schema.ts"
import type { GuardedTable, Part } from "./guarded-table.ts"
import type { KeptRows } from "./kept-rows.ts"

/**
 * Other tables whose rows are beside those of a part: they have values of their own in its columns.
 * Where a table gets but values of another one, as by an UPDATE, its rows are those of both.
 */
export function sharingOf(one: GuardedTable, part: Part, tables: GuardedTable[]): GuardedTable[] {
  if (part.filled.length > 0) return []
  return tables.filter((other) => {
    const shared = other.own.filter((to) => part.places.includes(to))
    if (other.table === one.table || shared.length === 0) return false
    const isThere = [one, other].filter(({ places }) =>
      places.some(({ to, same }) => same && shared.includes(to)),
    )
    const alike = part.names.flatMap((name) => {
      const column = columnLike(one, part, name, other)
      return column === undefined ? [] : [[name, column] as const]
    })
    const isOwn = ([mine, theirs]: readonly [string, string]) =>
      !isKey(one.table, mine) && !isKey(other.table, theirs)
    const isSame = alike.length === part.names.length
    return isThere.every(({ isAddedTo }) => isAddedTo) && (isSame || alike.some(isOwn))
  })
}

/** Those of which some share a place, so that what each held is kept to the end. */
export function sharingTables(tables: GuardedTable[]): Set<GuardedTable> {
  return new Set(
    tables.flatMap((one) => {
      const others = one.parts.flatMap((part) => sharingOf(one, part, tables))
      return others.length === 0 ? [] : [one, ...others]
    }),
  )
}

function isKey({ columns }: Table, column: string): boolean {
  return columns.some(({ name, inPrimaryKey }) => inPrimaryKey && name === column)
}

/**
 * The rows of them all in the columns that they have in common: of rows that are alike in two tables
 * each has to be there. Undefined where some of theirs may be elsewhere, or were not kept.
 * @param snapshots what they held, by table
 */
export function sharedRows(
  one: GuardedTable,
  part: Part,
  sharing: GuardedTable[],
  snapshots: Map<Table, string>,
): Omit<KeptRows, "targets"> | undefined {
  const isKept = ({ table }: GuardedTable) => snapshots.has(table)
  const isWithin = ({ own, places }: GuardedTable) => {
    const homes = places.filter(({ to }) => own.includes(to)).flatMap(({ columns }) => columns)
    const names = new Set(homes.map(([was]) => was))
    const rows = places.filter(({ columns }) => columns.some(([was]) => names.has(was)))
    return rows.every(({ to }) => part.places.includes(to))
  }
  if (![one, ...sharing].every(isKept) || !sharing.every(isWithin)) return undefined
  const common = part.columns.flatMap((column, index) => {
    const theirs = sharing.map((other) => {
      const name = columnLike(one, part, part.names[index] ?? "", other)
      return name === undefined ? undefined : other.columns.get(name)
    })
    return part.allowed?.has(column) || theirs.includes(undefined) ? [] : [[column, ...theirs]]
  })
  const columns = common.map(([column = ""]) => column)
  const key = part.key.every((column) => columns.includes(column)) ? part.key : []
  const selects = [one, ...sharing].map(({ table }, index) => {
    const cells = common.map((same) => `${same[index] ?? ""} AS ${same[0] ?? ""}`)
    return `SELECT ${cells.join(", ") || "1"} FROM ${snapshots.get(table) ?? ""}`
  })
  const snapshot = `(${selects.join(" UNION ALL ")})`
  const none = { rows: 0, numbers: [], isNumbered: undefined, allowed: undefined }
  return { ...none, snapshot, columns, key, isShared: true }
}

/** The column of another table that is where this one is. */
function columnLike(
  one: GuardedTable,
  { places }: Part,
  name: string,
  other: GuardedTable,
): string | undefined {
  const at = (table: GuardedTable, to: string, column: string) => {
    const found = table.places.find((place) => place.to === to)
    const is = found?.columns.find(([was]) => was === column)?.[1]
    return is?.of === undefined ? is?.column : undefined
  }
  const isKept = (column: string) => other.parts.some(({ names }) => names.includes(column))
  const isAlike = (column: string) =>
    other.own
      .filter((to) => places.includes(to))
      .every((to) => at(one, to, name) !== undefined && at(one, to, name) === at(other, to, column))
  return [...other.columns.keys()].find((column) => isKept(column) && isAlike(column))
}
