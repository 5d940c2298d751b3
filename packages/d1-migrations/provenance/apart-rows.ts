import type { ParsedStatement } from "../lint/parsed-script.ts"
import { findTable, readSchema } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { Fate } from "./fates.ts"
import { empty, holdTable } from "./held-tables.ts"
import { literalsOf } from "./literals.ts"
import type { Judged } from "./losses.ts"
import type { Difference } from "./moment.ts"

type IsApart = (fate: Fate, row: number) => Judged["apart"]

/**
 * Of which rows the request alone can tell whether there are any: those whose content stands in files,
 * whole in an earlier one or under a key to which this one gives literals, and those that hold a value
 * of another type than their column's.
 */
export function apartIn(
  database: ScratchDatabase,
  among: string[],
  statements: ParsedStatement[],
): IsApart {
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
    if (isGiven || known.get(table)?.has(cells.join("\n")) === true) return "said"
    const type = findTable(tables, table)?.columns.find(({ name }) => name === column)?.type
    const was = cells[held.columns.indexOf(column ?? "")] ?? empty
    return type !== undefined && was !== empty && isOfOtherType(type, was) ? "type" : undefined
  }
}

/** SQLite keeps a text or a fraction in a column of numbers as it is. */
function isOfOtherType(type: string, value: string): boolean {
  const isWhole = value.startsWith("bigint ")
  if (/int/i.test(type)) return !isWhole
  return /real|floa|doub/i.test(type) && !isWhole && !value.startsWith("number ")
}

/** Apart what befalls such rows: the request knows whether there are any, and lint only says it. */
export function byApart(differences: Difference[], isApart: IsApart): Judged[] {
  const nameOf = ({ table, column }: Fate) => `${table}.${column}`
  const isOrdinary = (fate: Fate) =>
    fate.kind !== "tidied" && fate.rows.some((row) => isApart(fate, row) === undefined)
  // Where others lose theirs, those of another type are no different.
  const ordinary = new Set(
    differences.flatMap(({ fate }) => (fate && isOrdinary(fate) ? [nameOf(fate)] : [])),
  )
  return differences.flatMap((difference): Judged[] => {
    const { fate } = difference
    if (fate === undefined || fate.kind === "repeat") return [difference]
    const apartOf = (row: number) => {
      const apart = isApart(fate, row)
      return apart === "type" && ordinary.has(nameOf(fate)) ? undefined : apart
    }
    return [...Map.groupBy(fate.rows, apartOf)].map(([apart, rows]): Judged => {
      return { fate: { ...fate, rows }, apart }
    })
  })
}
