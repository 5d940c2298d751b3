import type { AstNode } from "sqlite3-parser"

/** The name of a column, in lower case. */
export function columnOf(node: AstNode): string | undefined {
  if (node.type === "Id") return node.name.toLowerCase()
  if (node.type === "Name") return node.text.toLowerCase()
  return node.type === "QualifiedExpr" ? node.column.text.toLowerCase() : undefined
}
