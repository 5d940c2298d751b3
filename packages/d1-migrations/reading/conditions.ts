import { type Stmt, traverse } from "sqlite3-parser"

import { isSameName, type Table } from "../schema/schema.ts"

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

/** Tables of which an INSERT takes rows, and the one into which it puts them. */
function insertedRows(node: Stmt | undefined): { into: string; taken: string[] } {
  if (node?.type !== "InsertStmt") return { into: "", taken: [] }
  return { into: node.tblName.objName.text, taken: conditionsIn(node).taken }
}

/**
 * Whether an INSERT may add rows again that its table has: it takes them from there, from what holds
 * rows of other tables, or from a table that has all of its columns.
 * @param former the table of before that has a name
 * @param isOpen whether rows of a table like it may be there more than once
 */
export function mayRepeat(
  node: Stmt | undefined,
  former: (name: string) => Table | undefined,
  isOpen: (table: Table) => boolean = () => true,
): boolean {
  const { into, taken } = insertedRows(node)
  const own = former(into)
  if (own === undefined) return false
  const isLike = ({ columns }: Table) =>
    own.columns.every(({ name }) => columns.some((one) => isSameName(one.name, name)))
  return taken.some((one) => {
    const source = former(one)
    return source === undefined || source === own || (isLike(source) && isOpen(own))
  })
}
