import { parseStmt, type Stmt, type AstNode, type Name, traverse } from "sqlite3-parser"

import { folded } from "../sql/folded.ts"
import { literal } from "../sql/literal.ts"
import { type Statement, splitStatements } from "../sql/statements.ts"

/** A statement and what it says; without `node` where SQLite's grammar does not know it. */
export type ParsedStatement = Statement & {
  /** From 1. */
  number: number
  node: Stmt | undefined
}

/** @throws Error naming the line of a quote, comment or trigger that never ends */
export function parseScript(script: string): ParsedStatement[] {
  return splitStatements(script).map((statement, index) => {
    const parsed = parseStmt(statement.sql)
    // An explained statement is not run.
    const isRun = parsed.status === "ok" && parsed.root.type !== "ExplainStmt"
    return Object.assign(statement, { number: index + 1, node: isRun ? parsed.root : undefined })
  })
}

/** Line and column, from 1, of a position in a script. */
export function placeAt(script: string, position: number) {
  const before = script.slice(0, position).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

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

/** Every text and number of a script, as SQL. */
export function literalsOf(parts: (AstNode | undefined)[]): Set<string> {
  const literals = new Set<string>()
  for (const part of parts) {
    if (part === undefined) continue
    traverse(part, {
      nodes: {
        StringLiteral({ value }) {
          literals.add(literal(value))
        },
        NumericLiteral({ value }) {
          literals.add(value).add(`-${value}`)
        },
      },
    })
  }
  return literals
}
