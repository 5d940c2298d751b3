import type { AstNode, Name } from "sqlite3-parser"

import { folded } from "../sql/folded.ts"

/** The name of a column, in lower case. */
export function columnOf(node: AstNode): string | undefined {
  if (node.type === "Id") return folded(node.name)
  if (node.type === "Name") return folded(node.text)
  return node.type === "QualifiedExpr" ? folded(node.column.text) : undefined
}

/** The name of the table that a part speaks of. */
export function tableIn(node: AstNode): Name | undefined {
  if (!("tblName" in node)) return undefined
  return "objName" in node.tblName ? node.tblName.objName : node.tblName
}

/** Operators that compare: others join conditions, or compute a value. */
export const comparison = /^(?:Equals|NotEquals|Is|IsNot|Less|LessEquals|Greater|GreaterEquals)$/
