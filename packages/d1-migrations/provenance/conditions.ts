import { type Stmt, traverse } from "sqlite3-parser"

/** What decides which rows a query takes. */
export type Conditions = {
  /** Names of the tables that it reads. */
  sources: string[]
  /** Those of them of which it takes rows, not a value alone. */
  joined: string[]
  /** Whether a LIMIT ends it. */
  isLimited: boolean
}

export function conditionsIn(statement: Stmt): Conditions {
  const found: Conditions = { sources: [], joined: [], isLimited: false }
  let lookups = 0
  traverse(statement, {
    enter(part) {
      if (part.type === "SubqueryExpr") lookups += 1
    },
    nodes: {
      TableSelectTable({ tblName: { objName } }) {
        found.sources.push(objName.text)
        if (lookups === 0) found.joined.push(objName.text)
      },
      // Of a value that is looked up one row is enough, and below zero there is no limit.
      Limit({ expr }) {
        const isNegative = expr.type === "UnaryExpr" && expr.op === "Negative"
        if (lookups === 0 && !isNegative) found.isLimited = true
      },
    },
    leave({ type }) {
      if (type === "SubqueryExpr") lookups -= 1
    },
  })
  return found
}
