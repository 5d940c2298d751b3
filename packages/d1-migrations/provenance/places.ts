import type { Former } from "./former.ts"

/** A column, or a column of the row whose key it has. */
export type Whereabouts = {
  column: string
  of?: { table: string; key: string; column: string }
}

/** Where a table has values that another one, or it itself, held before. */
export type Place = {
  from: string
  to: string
  /** Names of columns before, and what has their values now. */
  columns: [was: string, is: Whereabouts][]
  /** Whether it is the table itself, whose rows keep their numbers. */
  same: boolean
  /** Whether it has the table's name or place, and so its rows. */
  isHome?: boolean
  /** The primary key of the rows whose values are there, as far as it is there, too. */
  key?: Place["columns"]
}

/** Without the columns that a table has no more, or did not have of its own. */
export function homesOf(formers: Former[]): Place[] {
  return formers.flatMap(({ held, home, columns, same }) => {
    if (home === undefined) return []
    const kept = held.columns.flatMap((was, index): Place["columns"] => {
      const is = home.columns[columns[index] ?? -1]
      return is === undefined ? [] : [[was, { column: is }]]
    })
    return [{ from: held.name, to: home.name, columns: kept, same, isHome: true }]
  })
}
