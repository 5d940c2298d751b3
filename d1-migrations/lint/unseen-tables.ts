import type { Stmt } from "sqlite3-parser"

import { tableIn } from "../provenance/syntax.ts"
import { findTable } from "../schema/schema.ts"
import type { Found } from "./rule.ts"
import type { Trial } from "./trial.ts"

/**
 * What takes rows or values of tables that only files know which are not here: it cannot be tried, so
 * it is not called safe. What only adds to such tables takes nothing.
 */
export function findUnseen(
  { steps, before }: Trial,
  problem: string | undefined,
): { found: Found[]; tables: string[] } {
  const made = new Set<string>()
  const tables = new Set<string>()
  const found: Found[] = []
  for (const step of steps) {
    const { node } = step
    if (node === undefined) continue
    for (const { name, takes, at } of tablesOf(node)) {
      const isKnown = problem === undefined && findTable(before, name) !== undefined
      if (isKnown || made.has(name.toLowerCase())) continue
      tables.add(name)
      if (!takes) continue
      const why = problem ?? "the files that make it are not here"
      const message = `what becomes of ${name} could not be judged: ${why}`
      const rewrite =
        "Lint the file in the folder of all migrations, or give the schema before it with --schema."
      found.push({ step, at, level: "error", message, rewrite })
    }
    if (node.type === "CreateTableStmt" && !node.ifNotExists) {
      made.add(node.tblName.objName.text.toLowerCase())
    }
    const renamed = node.type === "AlterTableStmt" ? node.body : undefined
    if (node.type === "AlterTableStmt" && renamed?.type === "RenameToAlterTableBody") {
      const own = made.has(node.tblName.objName.text.toLowerCase())
      if (own) made.add(renamed.name.text.toLowerCase())
    }
  }
  return { found, tables: [...tables] }
}

/** The table of a statement, and whether it may take rows or values of it. */
function tablesOf(node: Stmt): { name: string; takes: boolean; at: number }[] {
  const upserts =
    node.type === "InsertStmt" &&
    node.body.type === "SelectInsertBody" &&
    node.body.upsert !== undefined
  const table = tableIn(node)
  if (node.type === "CreateTableStmt" || table === undefined) return []
  const adds =
    (node.type === "InsertStmt" &&
      !upserts &&
      (node.orConflict === undefined || node.orConflict === "Ignore")) ||
    (node.type === "AlterTableStmt" && node.body.type !== "DropColumnAlterTableBody") ||
    node.type === "CreateIndexStmt" ||
    node.type === "CreateTriggerStmt"
  return [{ name: table.text, takes: !adds, at: table.span.offset }]
}
