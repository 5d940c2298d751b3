import { readSchema } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { empty, holdTable } from "./held-tables.ts"
import type { Judged } from "./losses.ts"
import type { Difference } from "./moment.ts"

/** Rows that earlier files have put there: what they held stands in those files. */
export function knownRows(database: ScratchDatabase, among: string[]): Map<string, Set<string>> {
  const tables = readSchema(database).filter(({ name }) => among.includes(name))
  return new Map(
    tables.map((table) => {
      const { rows } = holdTable(database, table)
      return [table.name, new Set(rows.map(({ cells }) => cells.join("\n")))]
    }),
  )
}

type Knowing = { known: Map<string, Set<string>>; literals: Set<string> }

/**
 * Apart what befalls rows that earlier files have put there, whose content stands in those files, and
 * what the file says word for word: the request excuses these rows alone, and lint only says it.
 */
export function withoutKnown(difference: Difference, { known, literals }: Knowing): Judged[] {
  const { fate } = difference
  if (fate === undefined) return [difference]
  const { held } = fate
  const own = known.get(fate.table)
  const isKnown = (row: number) => own?.has(held.rows[row]?.cells.join("\n") ?? "") === true
  const isSaid = (row: number) => {
    const now = fate.after(row)
    const cells = held.rows[row]?.cells ?? []
    return (
      !held.key.includes(held.columns.indexOf(fate.column ?? "")) &&
      now !== undefined &&
      now !== empty &&
      literals.has(now) &&
      held.uniques.some((key) => key.every((column) => literals.has(cells[column] ?? "")))
    )
  }
  const [ours, others] = [fate.rows.filter(isKnown), fate.rows.filter((row) => !isKnown(row))]
  const part = (rows: number[], more: { inWords: boolean; isKnown: boolean }): Judged[] => {
    const [first] = rows
    if (first === undefined) return []
    const index = fate.column === undefined ? -1 : held.columns.indexOf(fate.column)
    const example: typeof fate.example =
      index < 0 ? fate.example : [held.rows[first]?.cells[index] ?? empty, fate.after(first)]
    return [{ fate: { ...fate, rows, example }, ...more }]
  }
  return [
    ...part(others, { inWords: others.every(isSaid), isKnown: false }),
    ...part(ours, { inWords: true, isKnown: true }),
  ]
}
