import type { Classification } from "../classification/classification.ts"
import type { Place } from "../provenance/places.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"

/** A place of a table that stays or goes, one for each table in which its values are. */
export type Home = Place & { isHome: boolean; key: NonNullable<Place["key"]> }

/** Where no row shows it, values have to be where they were. */
export function placesOf({ trial, after }: Classification, table: Table): Home[] {
  const { name, columns } = table
  const found = trial.places.filter(({ from }) => isSameName(from, name))
  const key = folded(name)
  const now = trial.names.has(key) ? trial.names.get(key) : name
  const target = findTable(after, now ?? "")
  if (found.length === 0) {
    if (target === undefined) return []
    const left = columns.filter((one) =>
      target.columns.some((other) => isSameName(other.name, one.name)),
    )
    const same = left
      .filter(({ generated }) => !generated)
      .map((one): Place["columns"][number] => [one.name, { column: one.name }])
    return [{ from: name, to: target.name, columns: same, same: true, isHome: true, key: [] }]
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
