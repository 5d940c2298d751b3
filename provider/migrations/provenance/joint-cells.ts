import { literal } from "../sql-literal.ts"
import { literalsIn, matching } from "./literals.ts"
import { columnOf, isNode } from "./syntax.ts"

/** For each comparison of a column with a literal a value that decides it. */
export function cellsFor(part: unknown, holds: boolean): Record<string, string> {
  if (!isNode(part)) return {}
  if (part.type === "ParenthesizedExpr" && Array.isArray(part["exprs"])) {
    return cellsFor(part["exprs"][0], holds)
  }
  if (part.type === "UnaryExpr" && part["op"] === "Not") return cellsFor(part["expr"], !holds)
  const [left, right, op] = [part["left"], part["right"], String(part["op"])]
  if (op === "And" || op === "Or") return { ...cellsFor(left, holds), ...cellsFor(right, holds) }
  const subject = part["expr"] ?? part["lhs"] ?? left
  const column = isNode(subject) ? columnOf(subject) : undefined
  if (column === undefined) return {}
  const isNull =
    part.type === "IsNullExpr" || (op === "Is" && isNode(right) && right.type === "NullLiteral")
  if (isNull || part.type === "NotNullExpr" || op === "IsNot") {
    return isNull === holds ? { [column]: "NULL" } : {}
  }
  const found = literalsIn([right, part["rhs"], part["start"]])
  const [text] = found.texts
  const [number] = found.numbers
  const isNegated = part["not"] === true || op === "NotEquals"
  const step = op.startsWith("Greater") ? 1 : op.startsWith("Less") ? -1 : 0
  if (number !== undefined) {
    const meets = holds !== isNegated
    return { [column]: String(meets ? number + step : number - (step === 0 ? 1 : step)) }
  }
  if (text === undefined) return {}
  const [, filled = text] = part.type === "LikeExpr" ? matching(text) : []
  const meets = holds !== isNegated
  const value =
    op.startsWith("Less") === meets && step !== 0 ? "" : `${filled}${step === 0 ? "" : "~"}`
  return { [column]: literal(step === 0 && !meets ? `not ${filled}` : value) }
}
