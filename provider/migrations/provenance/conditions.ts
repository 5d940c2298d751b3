import type { Expr, Stmt } from "sqlite3-parser"

/** What decides which rows a query takes. */
export type Conditions = {
  /** Names of the tables that it reads. */
  sources: string[]
  conditions: Expr[]
  /** Position of a LIMIT. */
  limit: number | undefined
}

type Node = Record<string, unknown> & { type: string }

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value
}

const expressions = /(?:Expr|Literal|^Id)$/

function isExpression(value: unknown): value is Expr {
  return isNode(value) && expressions.test(value.type)
}

export function conditionsIn(statement: Stmt): Conditions {
  const found: Conditions = { sources: [], conditions: [], limit: undefined }
  const look = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) look(one)
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
      if (isNode(name) && typeof name["text"] === "string") found.sources.push(name["text"])
    }
    if (part.type === "Limit" && isNode(part["span"] ?? part)) {
      const span = part["span"]
      found.limit = hasOffset(span) ? span.offset : 0
    }
    for (const [key, one] of Object.entries(part)) if (key !== "span") look(one)
  }
  look(statement)
  return found
}

function hasOffset(span: unknown): span is { offset: number } {
  return typeof span === "object" && span !== null && "offset" in span
}
