import { type Stmt, traverse } from "sqlite3-parser"

import { isSameName } from "../schema/schema.ts"

/** What decides which rows a query takes. */
export type Conditions = {
  /** Names of the tables that it reads. */
  sources: string[]
  /** Those of them of which it takes rows, not a value alone. */
  joined: string[]
  /** Those of them that no condition looks into: it may take a row of theirs again. */
  taken: string[]
  /** Whether a LIMIT ends it. */
  isLimited: boolean
}

export function conditionsIn(statement: Stmt): Conditions {
  const found: Conditions = { sources: [], joined: [], taken: [], isLimited: false }
  let lookups = 0
  let conditions = 0
  traverse(statement, {
    enter({ type }) {
      if (type === "SubqueryExpr") lookups += 1
      if (looking.test(type)) conditions += 1
    },
    nodes: {
      TableSelectTable({ tblName: { objName } }) {
        found.sources.push(objName.text)
        if (lookups === 0) found.joined.push(objName.text)
        if (lookups + conditions === 0) found.taken.push(objName.text)
      },
      // Of a value that is looked up one row is enough, and below zero there is no limit.
      Limit({ expr }) {
        const isNegative = expr.type === "UnaryExpr" && expr.op === "Negative"
        if (lookups === 0 && !isNegative) found.isLimited = true
      },
    },
    leave({ type }) {
      if (type === "SubqueryExpr") lookups -= 1
      if (looking.test(type)) conditions -= 1
    },
  })
  return found
}

const looking = /^(?:InSelect|Exists)Expr$/

/**
 * Whether an INSERT may add rows again that its table has: it takes them from there, or from what
 * holds rows of other tables.
 * @param isOld whether a name is that of a table of before
 */
export function mayRepeat(node: Stmt | undefined, isOld: (name: string) => boolean): boolean {
  if (node?.type !== "InsertStmt" || !isOld(node.tblName.objName.text)) return false
  const { text } = node.tblName.objName
  return conditionsIn(node).taken.some((one) => isSameName(one, text) || !isOld(one))
}
