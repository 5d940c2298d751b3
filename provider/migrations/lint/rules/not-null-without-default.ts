import { isSameName } from "../../rehearsal/schema.ts"
import { bareColumn, columnValuesOf } from "../column-values.ts"
import { copiedRowsOf } from "../copied-rows.ts"
import type { Found, Rule } from "../rule.ts"
import type { Step, Trial } from "../trial.ts"

export const notNullWithoutDefault: Rule = {
  name: "not-null-without-default",
  finds: "a column that must have a value, in a table with rows that have none",
  why: "It works on an empty database, which is what tests and previews have, and fails on the first row. In a rebuild it fails as soon as one row has no value.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY);",
    sql: "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL;",
    instead: "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL DEFAULT 'neutral';",
  },
  find: (trial) =>
    trial.steps.flatMap((step) => [...findAddedColumn(step), ...findFilledColumn(step, trial)]),
}

function findAddedColumn(step: Step): Found[] {
  const { node, failureOnRows } = step
  if (node?.type !== "AlterTableStmt" || node.body.type !== "AddColumnAlterTableBody") return []
  if (failureOnRows?.startsWith("Cannot add a ") !== true) return []
  const { column } = node.body
  const name = `${node.tblName.objName.text}.${column.colName.text}`
  const message = `${name} cannot be added to a table that has rows: ${failureOnRows}`
  const rewrite = failureOnRows.includes("REFERENCES")
    ? "Add the column without a default, and fill it in an UPDATE."
    : "Give it a constant default (NOT NULL DEFAULT …), or add it without NOT NULL, fill it, and demand it later."
  return [{ step, at: column.span.offset, level: "error", message, rewrite }]
}

function findFilledColumn(step: Step, { before }: Trial): Found[] {
  const copy = copiedRowsOf(step)
  if (copy === undefined || !step.holdsRows(copy.source)) return []
  const target = step.tables.find(({ name }) => isSameName(name, copy.target))
  const source = step.tables.find(({ name }) => isSameName(name, copy.source))
  if (target === undefined || source === undefined) return []
  if (step.failureOnRows?.startsWith("NOT NULL constraint failed") === true) {
    const column = step.failureOnRows.split(".").at(-1) ?? ""
    const message = `the copy gives ${target.name}.${column} no value, which fails on the first row`
    const rewrite = `Name ${column} in both lists, with a value for the rows that are there: coalesce(…) or a constant.`
    return [{ step, level: "error", message, rewrite }]
  }
  // A row that is left out has been spoken of, and a filter may be there for this.
  if (copy.insert?.orConflict !== undefined || copy.select.whereClause !== undefined) return []
  // Rows that are put back had a value before.
  const put = before.tables.find(({ name }) => isSameName(name, copy.target))?.notNull ?? []
  return columnValuesOf(copy).flatMap(({ column, value }): Found[] => {
    const from = bareColumn(value)?.toLowerCase()
    const name = column.toLowerCase()
    const strict = target.notNull.includes(name) && !put.includes(name)
    const nullable =
      source.columns.some((one) => isSameName(one.name, from ?? "")) &&
      !source.notNull.includes(from ?? "")
    if (!strict || !nullable) return []
    const message = `fails if a row of ${source.name} has no ${from}, because ${column} needs a value now`
    const rewrite = `Copy coalesce(${from}, …) instead, or fill ${from} before.`
    return [{ step, at: value.span.offset, level: "warning", message, rewrite }]
  })
}
