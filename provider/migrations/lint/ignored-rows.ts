import { isSameName } from "../rehearsal/schema.ts"
import { bareColumn, columnValuesOf } from "./column-values.ts"
import type { CopiedRows } from "./copied-rows.ts"

/** What `INSERT OR IGNORE` or `OR REPLACE` may leave out: rows that a new constraint does not take. */
export function ignoredRows(copy: CopiedRows): { what: string; at: number } | undefined {
  const { insert, step, source, target } = copy
  const conflict = insert?.orConflict
  if (conflict !== "Ignore" && conflict !== "Replace") return undefined
  const what = `OR ${conflict.toUpperCase()}`
  const from = step.tables.find(({ name }) => isSameName(name, source))
  const to = step.tables.find(({ name }) => isSameName(name, target))
  if (from === undefined || to === undefined) return { what, at: 0 }
  const strictKey = to.uniqueKeys.find(
    ({ columns }) =>
      !from.uniqueKeys.some(
        (key) => !key.partial && key.columns.every((column) => columns.includes(column)),
      ),
  )
  const values = columnValuesOf(copy)
  const strictColumn = to.notNull.find((column) => {
    const filled = values.find((one) => isSameName(one.column, column))
    const copied = filled === undefined ? column : bareColumn(filled.value)
    return copied !== undefined && !from.notNull.includes(copied.toLowerCase())
  })
  const strictCheck = /\bcheck\b/i.test(to.sql) && !/\bcheck\b/i.test(from.sql)
  const occupied = step.holdsRows(target)
  const strict = strictKey ?? strictColumn ?? (strictCheck || occupied ? true : undefined)
  return strict === undefined ? undefined : { what, at: 0 }
}
