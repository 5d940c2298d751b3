import { isSameName } from "../../rehearsal/schema.ts"
import { isLedger } from "../ledger-tables.ts"
import type { Found, Rule } from "../rule.ts"
import type { Step, Trial } from "../trial.ts"

export const unboundedWrite: Rule = {
  name: "unbounded-write",
  finds: "DELETE, UPDATE and REPLACE of rows that were there before",
  why: "A DELETE takes rows for good, and REPLACE deletes the row in its way with all that refers to it. An UPDATE without WHERE overwrites every row, and writes each of them within the 30 seconds of one request.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, read_at INTEGER);",
    sql: "DELETE FROM note;",
    instead: "UPDATE note SET read_at = 0 WHERE read_at IS NULL;",
  },
  find: (trial) => trial.steps.flatMap((step) => findWrites(step, trial)),
}

function findWrites(step: Step, trial: Trial): Found[] {
  const { node } = step
  if (node?.type === "DeleteStmt") return findDelete(step, trial)
  if (node?.type === "UpdateStmt") return findUpdate(step, trial)
  if (node?.type !== "InsertStmt" || node.orConflict !== "Replace") return []
  const table = node.tblName.objName.text
  if (!step.holdsRows(table) || isLedger(table)) return []
  const at = node.tblName.span.offset
  const children = step.tables.filter(({ foreignKeys }) =>
    foreignKeys.some(({ parent, onDelete }) => isSameName(parent, table) && takes.has(onDelete)),
  )
  const message =
    children.length === 0
      ? `replaces rows of ${table} that have the same key, and forgets the columns that it does not name`
      : `deletes a row of ${table} that has the same key, and with it the rows of ${children.map(({ name }) => name).join(", ")} that refer to it`
  const rewrite = "Update the row in place: INSERT … ON CONFLICT (…) DO UPDATE SET …."
  return [{ step, at, level: children.length === 0 ? "warning" : "error", message, rewrite }]
}

const takes = new Set(["CASCADE", "SET NULL", "SET DEFAULT"])

function findDelete(step: Step, { missing, steps }: Trial): Found[] {
  const { node } = step
  if (node?.type !== "DeleteStmt") return []
  const table = node.tblName.objName.text
  if (!step.holdsRows(table) || isLedger(table)) return []
  const at = node.tblName.span.offset
  const condition = node.whereClause
  if (condition === undefined && !missing.some((one) => isSameName(one.table, table))) {
    const message = `every row of ${table} is deleted, although the file keeps what they held`
    const rewrite = "Rewrite the rows in place, with UPDATE or INSERT … ON CONFLICT DO UPDATE."
    return [{ step, at, level: "warning", message, rewrite }]
  }
  const words = condition && textOf(step, condition.span)
  // Rows that were copied under the same condition have moved.
  const moved =
    words !== undefined &&
    steps.some(({ number, sql, node: other }) => {
      if (number >= step.number || other?.type !== "InsertStmt") return false
      return sql.replaceAll(/\s+/g, " ").includes(words)
    })
  const which = condition === undefined ? `every row of ${table}` : `rows of ${table}`
  const message = moved
    ? `deletes rows of ${table} that were copied before under the same condition`
    : `deletes ${which}, with all that refers to them ON DELETE CASCADE`
  const rewrite =
    "If that is meant, let the service delete them in batches, or declare it: -- accounts:loses TABLE, at most N rows: REASON"
  return [
    { step, at, level: moved ? "warning" : "error", message, rewrite, unless: `loses ${table}` },
  ]
}

function textOf({ sql }: Step, { offset, length }: { offset: number; length: number }): string {
  return sql.slice(offset, offset + length).replaceAll(/\s+/g, " ")
}

function findUpdate(step: Step, { before, steps }: Trial): Found[] {
  const { node } = step
  if (node?.type !== "UpdateStmt" || node.whereClause !== undefined) return []
  const table = node.tblName.objName.text
  if (!step.holdsRows(table) || isLedger(table)) return []
  const goes = steps.some(
    ({ number, node: later }) =>
      number > step.number &&
      later?.type === "DropTableStmt" &&
      isSameName(later.tblName.objName.text, table),
  )
  const old = before.tables.find(({ name }) => isSameName(name, table))
  const overwritten = node.sets
    .flatMap(({ colNames }) => colNames.map(({ text }) => text))
    .filter((column) => old?.columns.some(({ name }) => isSameName(name, column)))
  if (goes || overwritten.length === 0) return []
  const message = `overwrites ${overwritten.join(", ")} in every row of ${table}`
  const rewrite = "Say which rows: UPDATE … WHERE …, so that it writes only what has to change."
  return [{ step, at: node.tblName.span.offset, level: "warning", message, rewrite }]
}
