import type { ParsedStatement } from "../reading/parsed-script.ts"
import { isSameName } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { definitionOf } from "./checks.ts"

/** Whether a table deletes rows of which a new one repeats a value. */
export function replaces(database: ScratchDatabase, table: string): boolean {
  return definitionOf(database, table).includes("replace")
}

/** An INSERT that leaves alone what is there, whatever the table does on a conflict. */
export function adds(
  database: ScratchDatabase,
  statement: ParsedStatement | undefined,
  { writes }: StatementEffect,
): boolean {
  const isMet = /\b(?:replace|conflict)\b/i.test(statement?.sql ?? "")
  if (writes?.by !== "insert" || isMet) return false
  if (replaces(database, writes.table)) return false
  // A full-text table is told to delete by a column of its own name.
  const { node } = statement ?? {}
  const named = node?.type === "InsertStmt" ? node.columns : undefined
  return named?.some(({ text }) => isSameName(text, writes.table)) !== true
}
