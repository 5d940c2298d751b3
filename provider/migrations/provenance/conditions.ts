import type { Expr, Stmt } from "sqlite3-parser"

import { isNode } from "./syntax.ts"

/** What decides which rows a query takes. */
export type Conditions = {
  /** Names of the tables that it reads. */
  sources: string[]
  /** Those of them of which it takes rows, not a value alone. */
  joined: string[]
  conditions: Expr[]
  /** Position of a LIMIT. */
  limit: number | undefined
}

const expressions = /(?:Expr|Literal|^Id)$/

function isExpression(value: unknown): value is Expr {
  return isNode(value) && expressions.test(value.type)
}

export function conditionsIn(statement: Stmt): Conditions {
  const found: Conditions = { sources: [], joined: [], conditions: [], limit: undefined }
  const look = (part: unknown, isLookedUp: boolean): void => {
    if (Array.isArray(part)) for (const one of part) look(one, isLookedUp)
    if (!isNode(part)) return
    for (const key of ["whereClause", "having"]) {
      const condition = part[key]
      if (isExpression(condition)) found.conditions.push(condition)
    }
    if (part.type === "OnJoinConstraint" && isExpression(part["expr"])) {
      found.conditions.push(part["expr"])
    }
    if (part.type === "TableSelectTable" && isNode(part["tblName"])) {
      const name = part["tblName"]["objName"]
      if (isNode(name) && typeof name["text"] === "string") {
        found.sources.push(name["text"])
        if (!isLookedUp) found.joined.push(name["text"])
      }
    }
    // Of a value that is looked up one row is enough, and below zero there is no limit.
    if (part.type === "Limit" && !isLookedUp && !isNegative(part["expr"])) {
      found.limit = hasOffset(part["span"]) ? part["span"].offset : 0
    }
    const isValue = isLookedUp || part.type === "SubqueryExpr"
    for (const [key, one] of Object.entries(part)) if (key !== "span") look(one, isValue)
  }
  look(statement, false)
  return found
}

function isNegative(part: unknown): boolean {
  return isNode(part) && part.type === "UnaryExpr" && part["op"] === "Negative"
}

function hasOffset(span: unknown): span is { offset: number } {
  return typeof span === "object" && span !== null && "offset" in span
}
