import type { ParsedStatement } from "../lint/parsed-script.ts"
import { readSchema } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { Fate } from "./fates.ts"
import { empty, holdTable } from "./held-tables.ts"
import { literalsOf } from "./literals.ts"
import type { Judged } from "./losses.ts"
import type { Difference } from "./moment.ts"

type IsSaid = (fate: Fate, row: number) => boolean

/**
 * Rows whose content stands in files: whole in an earlier one, or under a key to which this one gives
 * literals. The request knows such rows by the same.
 */
export function saidRows(
  database: ScratchDatabase,
  among: string[],
  statements: ParsedStatement[],
): IsSaid {
  const tables = readSchema(database).filter(({ name }) => among.includes(name))
  const known = new Map(
    tables.map((table) => {
      const { rows } = holdTable(database, table)
      return [table.name, new Set(rows.map(({ cells }) => cells.join("\n")))]
    }),
  )
  const literals = literalsOf(statements.map(({ node }) => node))
  return ({ table, held, column, after }, row) => {
    const cells = held.rows[row]?.cells ?? []
    const now = after(row)
    const isGiven =
      !held.key.includes(held.columns.indexOf(column ?? "")) &&
      now !== undefined &&
      now !== empty &&
      literals.has(now) &&
      held.uniques.some((key) => key.every((one) => literals.has(cells[one] ?? "")))
    return isGiven || known.get(table)?.has(cells.join("\n")) === true
  }
}

/** Apart what befalls such rows: the request excuses these alone, and lint only says it. */
export function bySaid(difference: Difference, isSaid: IsSaid): Judged[] {
  const { fate } = difference
  if (fate === undefined) return [difference]
  const { held, after } = fate
  const index = held.columns.indexOf(fate.column ?? "")
  return [...Map.groupBy(fate.rows, (row) => isSaid(fate, row))].map(([inWords, rows]): Judged => {
    const [first = 0] = rows
    const example: Fate["example"] =
      index < 0 ? fate.example : [held.rows[first]?.cells[index] ?? empty, after(first)]
    return { fate: { ...fate, rows, example }, inWords }
  })
}
