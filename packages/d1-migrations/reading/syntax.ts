import type { AstNode, Name, Stmt } from "sqlite3-parser"

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

/** The name of what a statement creates. */
export function createdBy(node: Stmt): Name | undefined {
  if (node.type === "CreateTableStmt" || node.type === "CreateVirtualTableStmt") {
    return node.tblName.objName
  }
  if (node.type === "CreateViewStmt") return node.viewName.objName
  if (node.type === "CreateIndexStmt") return node.idxName.objName
  return node.type === "CreateTriggerStmt" ? node.triggerName.objName : undefined
}
