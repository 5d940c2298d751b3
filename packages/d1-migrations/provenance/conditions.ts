import { type Expr, type Stmt, traverse } from "sqlite3-parser"

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

export function conditionsIn(statement: Stmt): Conditions {
  const found: Conditions = { sources: [], joined: [], conditions: [], limit: undefined }
  let lookups = 0
  traverse(statement, {
    enter(part) {
      if (part.type === "SubqueryExpr") lookups += 1
      if ("whereClause" in part && part.whereClause) found.conditions.push(part.whereClause)
      if ("having" in part && part.having) found.conditions.push(part.having)
    },
    nodes: {
      OnJoinConstraint({ expr }) {
        found.conditions.push(expr)
      },
      TableSelectTable({ tblName: { objName } }) {
        found.sources.push(objName.text)
        if (lookups === 0) found.joined.push(objName.text)
      },
      // Of a value that is looked up one row is enough, and below zero there is no limit.
      Limit({ expr, span }) {
        const isNegative = expr.type === "UnaryExpr" && expr.op === "Negative"
        if (lookups === 0 && !isNegative) found.limit = span.offset
      },
    },
    leave({ type }) {
      if (type === "SubqueryExpr") lookups -= 1
    },
  })
  return found
}
