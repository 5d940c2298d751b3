import { parseStmt, type Stmt } from "sqlite3-parser"

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
