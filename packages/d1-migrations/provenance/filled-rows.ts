import type { Traced } from "./former.ts"
import { empty } from "./held-tables.ts"
import { isTidied } from "./same-rows.ts"

/**
 * Columns in which rows without a key stand in another table, filled where they were NULL, or tidied.
 * None where one of the rows is in no row of its own.
 */
export function filledColumns({ held, home, columns, twins }: Traced, rows: number[]): Set<string> {
  const found = new Set<string>()
  if (home === undefined || held.key.length > 0) return found
  const taken = new Set(twins)
  const free = new Set([...home.rows.keys()].filter((other) => !taken.has(other)))
  for (const row of rows) {
    const cells = held.rows[row]?.cells ?? []
    const candidates = [...free].flatMap((other) => {
      const now = columns.map((position) => home.rows[other]?.cells[position ?? -1] ?? empty)
      const changed = [...cells.keys()].filter((index) => now[index] !== cells[index])
      const isAllowed = changed.every(
        (index) => cells[index] === empty || isTidied(cells[index] ?? empty, now[index] ?? empty),
      )
      return isAllowed ? [{ other, changed }] : []
    })
    const [nearest] = candidates.toSorted((a, b) => a.changed.length - b.changed.length)
    if (nearest === undefined) return new Set()
    free.delete(nearest.other)
    for (const index of nearest.changed) found.add(held.columns[index] ?? "")
  }
  return found
}
