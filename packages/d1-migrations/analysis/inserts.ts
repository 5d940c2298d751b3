import { type Stmt, traverse } from "sqlite3-parser"

import { definitionOf } from "../parts/parts.ts"
import { isSameName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import type { ParsedStatement } from "./parsed-script.ts"

/** Whether a table has ON CONFLICT REPLACE: it deletes rows whose unique value a new row repeats. */
export function replacesRows(database: ScratchDatabase, table: string): boolean {
  return definitionOf(database, table).includes("replace")
}

/** Whether an INSERT cannot change existing rows, even on a conflict. */
export function isPlainInsert(
  database: ScratchDatabase,
  statement: ParsedStatement | undefined,
  { writes }: StatementEffect,
): boolean {
  const isMet = /\b(?:replace|conflict)\b/i.test(statement?.sql ?? "")
  if (writes?.by !== "insert" || isMet) return false
  if (replacesRows(database, writes.table)) return false
  // A full-text table is told to delete by a column of its own name.
  const { node } = statement ?? {}
  const insertColumns = node?.type === "InsertStmt" ? node.columns : undefined
  return insertColumns?.some(({ text }) => isSameName(text, writes.table)) !== true
}

/** Tables that an INSERT reads without a condition on their rows: it may insert a row again. */
function takenBy(node: Stmt): string[] {
  const sources: string[] = []
  let conditions = 0
  traverse(node, {
    enter({ type }) {
      if (looking.test(type)) conditions += 1
    },
    nodes: {
      TableSelectTable({ tblName: { objName } }) {
        if (conditions === 0) sources.push(objName.text)
      },
    },
    leave({ type }) {
      if (looking.test(type)) conditions -= 1
    },
  })
  return sources
}

const looking = /^(?:InSelect|Exists|Subquery)Expr$/

/**
 * Whether an INSERT may add rows again that its table has: it takes them from there, from what holds
 * rows of other tables, or from a table that has all of its columns.
 * @param tableBefore finds an original table by its current name
 * @param isOpen whether rows of a table like it may be there more than once
 */
export function mayRepeat(
  node: Stmt,
  tableBefore: (name: string) => Table | undefined,
  isOpen: (table: Table) => boolean,
): boolean {
  const target = node.type === "InsertStmt" ? tableBefore(node.tblName.objName.text) : undefined
  if (target === undefined) return false
  const isLike = ({ columns }: Table) =>
    target.columns.every(({ name }) => columns.some((column) => isSameName(column.name, name)))
  return takenBy(node).some((sourceName) => {
    const source = tableBefore(sourceName)
    return source === undefined || source === target || (isLike(source) && isOpen(target))
  })
}
