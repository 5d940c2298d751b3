import type { Expr } from "sqlite3-parser"

import { isSameName } from "../rehearsal/schema.ts"
import { bareColumn } from "./column-values.ts"
import type { CopiedRows } from "./copied-rows.ts"

/** Whether a condition holds for every row that the source can have. */
export function isTotal(condition: Expr, copy: CopiedRows): boolean {
  if (condition.type === "ParenthesizedExpr") {
    return condition.exprs.every((one) => isTotal(one, copy))
  }
  if (condition.type === "NumericLiteral") return Number(condition.value) !== 0
  if (condition.type === "BinaryExpr" && condition.op === "And") {
    return isTotal(condition.left, copy) && isTotal(condition.right, copy)
  }
  const isNot = condition.type === "BinaryExpr" && condition.op === "IsNot"
  const tested = condition.type === "NotNullExpr" ? condition.expr : undefined
  const compared = isNot && condition.right.type === "NullLiteral" ? condition.left : undefined
  const expression = tested ?? compared
  if (expression === undefined) return false
  const table = copy.step.tables.find(({ name }) => isSameName(name, copy.source))
  const column = bareColumn(expression)
  return column !== undefined && table?.notNull.includes(column.toLowerCase()) === true
}
