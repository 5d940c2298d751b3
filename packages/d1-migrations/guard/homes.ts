import type { Classification } from "../classification/classification.ts"
import type { Declaration } from "../files/declarations.ts"
import type { Place, Whereabouts } from "../provenance/places.ts"
import { findTable, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"

/** A place of a table that stays or goes, one for each table in which its values are. */
export type Home = Place & { isHome: boolean; key: NonNullable<Place["key"]> }

/** Where no row shows it, values have to be where they were, or where all of them are declared to be. */
export function placesOf(
  { trial, after }: Classification,
  table: Table,
  declarations: Declaration[],
): Home[] {
  const { name } = table
  const moved = declarations.find((one) => one.does === "moves" && isSameName(one.table, name))
  if (moved?.does === "moves") return sameColumns(table, findTable(after, moved.to.table), false)
  const found = trial.places.filter(({ from }) => isSameName(from, name))
  const key = folded(name)
  const now = trial.names.has(key) ? trial.names.get(key) : name
  const target = findTable(after, now ?? "")
  if (found.length === 0) {
    return sameColumns(table, target, true)
  }
  return [...Map.groupBy(found, ({ to }) => to).values()].flatMap((list) => {
    const [first] = list
    if (first === undefined) return []
    // A value that was found in another column is no longer where it was.
    const columnsNow = new Map(list.flatMap((place) => place.columns))
    const isHome = list.some((one) => one.isHome === true)
    return [
      { ...first, columns: [...columnsNow], isHome, key: list.flatMap((one) => one.key ?? []) },
    ]
  })
}

function sameColumns({ name, columns }: Table, now: Table | undefined, same: boolean): Home[] {
  if (now === undefined) return []
  const left = columns.flatMap((one): Place["columns"] => {
    const column = now.columns.find((other) => isSameName(other.name, one.name))?.name
    return column === undefined || one.generated ? [] : [[one.name, { column }]]
  })
  return [{ from: name, to: now.name, columns: left, same, isHome: true, key: [] }]
}

type Moved = { table: Table; after: Table[]; home: Home | undefined; column: string }

/** Where a column is declared to be: in another table by the key of its row, where that refers to it. */
export function movedTo(
  to: { table: string; column: string },
  { table, after, home, column }: Moved,
): Home | undefined {
  const target = findTable(after, to.table)
  const found = target?.columns.find(({ name }) => isSameName(name, to.column))
  if (target === undefined || found === undefined) return undefined
  const moved: Place["columns"][number] = [column, { column: found.name }]
  if (home?.to === target.name) {
    const others = home.columns.filter(([was]) => was !== column)
    return { ...home, columns: [...others, moved] }
  }
  const primary = table.columns.filter(({ inPrimaryKey }) => inPrimaryKey).map(({ name }) => name)
  const keys = target.foreignKeys
    .filter(({ parent }) => isSameName(parent, home?.to ?? table.name))
    .map(({ columns, parentColumns }) =>
      primary.flatMap((name): Place["columns"] => {
        const at = columns[parentColumns.findIndex((one) => isSameName(one, name))]
        return at === undefined ? [] : [[name, { column: at }]]
      }),
    )
  const key = keys.find((pairs) => pairs.length === primary.length) ?? []
  return { from: table.name, to: target.name, columns: [moved], same: false, isHome: false, key }
}

/** A value of a row, called `alias`, or of the row whose key it has. */
export function valueOf(alias: string, { column, of }: Whereabouts = { column: "" }): string {
  const own = `${alias}.${quoteName(column)}`
  if (of === undefined) return own
  const [table, key, value] = [of.table, of.key, of.column].map(quoteName)
  return `(SELECT ${value} FROM ${table} WHERE ${key} = ${own})`
}

export function pairsOf({ columns, key }: Home): Place["columns"] {
  return [...columns, ...key]
}

export function isKeyOf(
  columns: Place["columns"],
  primary: string[],
  now: Table | undefined,
): boolean {
  const names = primary.map((name) => columns.find(([was]) => was === name)?.[1].column)
  const keys = now?.columns.filter(({ inPrimaryKey }) => inPrimaryKey) ?? []
  return keys.length === names.length && keys.every(({ name }) => names.includes(name))
}

/** Tables in which a row may be whole: all that have its key. None where it has none, or not all of it is there. */
export function tablesOfRows(primary: string[], tablesOf: (column: string) => string[]): string[] {
  const [tables = [], ...others] = primary.map(tablesOf)
  return others.every((some) => some.join() === tables.join()) ? tables : []
}
