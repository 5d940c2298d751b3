import type { Expr } from "sqlite3-parser"

import { literal } from "../sql/literal.ts"
import { literalsIn, matching } from "./literals.ts"
import { columnOf } from "./syntax.ts"

/** For each comparison of a column with a literal a value that decides it. */
export function cellsFor(part: Expr | undefined, holds: boolean): Record<string, string> {
  if (part === undefined) return {}
  if (part.type === "ParenthesizedExpr") return cellsFor(part.exprs[0], holds)
  if (part.type === "UnaryExpr" && part.op === "Not") return cellsFor(part.expr, !holds)
  const { left, right, op } =
    part.type === "BinaryExpr" ? part : { left: undefined, right: undefined, op: "" }
  if (op === "And" || op === "Or") return { ...cellsFor(left, holds), ...cellsFor(right, holds) }
  const subject = subjectOf(part) ?? left
  const column = subject === undefined ? undefined : columnOf(subject)
  if (column === undefined) return {}
  const isNull = part.type === "IsNullExpr" || (op === "Is" && right?.type === "NullLiteral")
  if (isNull || part.type === "NotNullExpr" || op === "IsNot") {
    return isNull === holds ? { [column]: "NULL" } : {}
  }
  const operands = [right, "rhs" in part ? part.rhs : [], "start" in part ? part.start : []]
  const found = literalsIn(operands.flat())
  const [text] = found.texts
  const [number] = found.numbers
  const isNegated = ("not" in part && part.not) || op === "NotEquals"
  const meets = holds !== isNegated
  const step = op.startsWith("Greater") ? 1 : op.startsWith("Less") ? -1 : 0
  if (number !== undefined) {
    return { [column]: String(meets ? number + step : number - (step === 0 ? 1 : step)) }
  }
  if (text === undefined) return {}
  const [, filled = text] = part.type === "LikeExpr" ? matching(text) : []
  const value =
    op.startsWith("Less") === meets && step !== 0 ? "" : `${filled}${step === 0 ? "" : "~"}`
  return { [column]: literal(step === 0 && !meets ? `not ${filled}` : value) }
}

function subjectOf(part: Expr): Expr | undefined {
  if ("expr" in part) return part.expr
  return "lhs" in part ? part.lhs : undefined
}
