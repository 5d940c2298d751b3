import { parseStmt, type Stmt } from "sqlite3-parser"

import { type Statement, splitStatements } from "../sql/statements.ts"

/** A statement and what it says; without `node` where SQLite's grammar does not know it. */
export type ParsedStatement = Statement & {
  /** From 1. */
  number: number
  node: Stmt | undefined
  /** Why there is no `node`, in SQLite's words. */
  problem: string | undefined
}

/** @throws Error naming the line of a quote, comment or trigger that never ends */
export function parseScript(script: string): ParsedStatement[] {
  return splitStatements(script).map((statement, index) => {
    const parsed = parseStmt(statement.sql)
    const ok = parsed.status === "ok"
    return Object.assign(statement, {
      number: index + 1,
      node: ok ? withoutExplain(parsed.root) : undefined,
      problem: ok ? undefined : parsed.errors[0]?.message,
    })
  })
}

/** An explained statement is not run. */
function withoutExplain(node: Stmt): Stmt | undefined {
  return node.type === "ExplainStmt" ? undefined : node
}

export type Place = { line: number; column: number }

/** Line and column, from 1, of a position in a script. */
export function placeAt(script: string, position: number): Place {
  const before = script.slice(0, position).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
