import type { Expr } from "sqlite3-parser"

import { isSameName } from "../rehearsal/schema.ts"
import type { CopiedRows } from "./copied-rows.ts"

/** A column that a copy fills, and what with. */
export type ColumnValue = { column: string; value: Expr }

/** Empty where `*` leaves open which column gets what. */
export function columnValuesOf({ insert, select, step, target }: CopiedRows): ColumnValue[] {
  const table = step.tables.find(({ name }) => isSameName(name, target))
  const all = table?.columns.filter(({ generated }) => !generated).map(({ name }) => name) ?? []
  const columns = insert?.columns?.map(({ text }) => text) ?? all
  if (columns.length !== select.columns.length) return []
  return columns.flatMap((column, index) => {
    const result = select.columns[index]
    return result?.type === "ExprResultColumn" ? [{ column, value: result.expr }] : []
  })
}

/** The column that an expression is, and nothing else. */
export function bareColumn(expression: Expr): string | undefined {
  if (expression.type === "Id") return expression.name
  return expression.type === "QualifiedExpr" ? expression.column.text : undefined
}
