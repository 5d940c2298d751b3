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

/** How many of them differ now, by table. */
export function excusedRows(differences: Difference[], known: Map<string, Set<string>>) {
  const rows = new Map<string, Set<string>>()
  for (const { fate } of differences) {
    if (fate === undefined) continue
    const values = fate.rows.map((row) => fate.held.rows[row]?.cells.join("\n") ?? "")
    const own = values.filter((one) => known.get(fate.table)?.has(one) === true)
    rows.set(fate.table, new Set([...(rows.get(fate.table) ?? []), ...own]))
  }
  return new Map([...rows].map(([table, own]) => [table, own.size]))
}

type Knowing = { known: Map<string, Set<string>>; literals: Set<string> }

/** Without known rows of tables that have others, and whether the file says all of it word for word. */
export function withoutKnown(difference: Difference, { known, literals }: Knowing): Judged[] {
  const { fate } = difference
  if (fate === undefined) return [difference]
  const { held } = fate
  const own = known.get(fate.table)
  const made = held.rows.some(({ cells }) => own?.has(cells.join("\n")) !== true)
  const rows = fate.rows.filter(
    (row) => !made || own?.has(held.rows[row]?.cells.join("\n") ?? "") !== true,
  )
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
  if (rows.length === 0) return []
  return [{ fate: { ...fate, rows }, inWords: rows.every(isSaid) }]
}
