import type { Analysis, Step } from "../analysis/analysis.ts"
import { destinationsOf } from "../analysis/destinations.ts"
import { columnOf } from "../analysis/parsed-script.ts"
import { findTable, isRowid, isSameName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import type { RuleFinding } from "./loss.ts"

export function findOnRows(analysis: Analysis): RuleFinding[] {
  return [
    ...analysis.steps.flatMap((step) => findAdded(analysis, step)),
    ...findRequired(analysis),
    ...findRules(analysis),
  ]
}

function findAdded({ before, after }: Analysis, step: Step): RuleFinding[] {
  const { node } = step
  if (node?.type !== "AlterTableStmt" || node.body.type !== "AddColumnAlterTableBody") return []
  const table = node.tblName.objName.text
  const name = node.body.column.colName.text
  const column = findTable(after, table)?.columns.find((candidate) =>
    isSameName(candidate.name, name),
  )
  if (findTable(before, table) === undefined || column === undefined) return []
  if (column.notNull && !column.hasDefault && !column.generated) {
    const message =
      "fails as soon as there are rows: Cannot add a NOT NULL column with default value NULL"
    const rewrite = "Give it a constant default for the rows that are there."
    return [{ step, level: "error", message, rewrite }]
  }
  const refers = findTable(after, table)?.foreignKeys.some((key) =>
    key.columns.some((keyColumn) => isSameName(keyColumn, name)),
  )
  if (refers !== true || !column.hasDefault || /^null$/i.test(column.defaultValue)) return []
  const message =
    "fails as soon as there are rows: Cannot add a REFERENCES column with non-NULL default value"
  const rewrite = "Add the column without a default, and fill it in an UPDATE."
  return [{ step, level: "error", message, rewrite }]
}

/** A copy that gives a required column nothing, or what may be NULL. */
function findRequired(analysis: Analysis): RuleFinding[] {
  const { operations, steps, before } = analysis
  if (operations.every(({ does }) => does !== "copy")) return []
  return before.flatMap((table) =>
    destinationsOf(analysis, table, []).flatMap((destination): RuleFinding[] => {
      const copies = operations.flatMap((operation) =>
        operation.does === "copy" && operation.table === destination.live ? [operation] : [],
      )
      return destination.same
        ? []
        : copies.flatMap(({ number, columns, arm }) =>
            destination.table.columns.flatMap(
              ({ name, notNull, hasDefault, generated }): RuleFinding[] => {
                const at = columns.indexOf(folded(name))
                const output = arm.outputs[at]
                const step = steps[number - 1]
                if (
                  step === undefined ||
                  !notNull ||
                  generated ||
                  isRowid(destination.table, name)
                ) {
                  return []
                }
                const rewrite = `Give it a value for the rows that are there: a constant default, or coalesce(…) in the copy.`
                const message = `fails as soon as there are rows: NOT NULL constraint failed: ${destination.table.name}.${name}`
                if (at < 0) return hasDefault ? [] : [{ step, level: "error", message, rewrite }]
                const [source] = output?.reads ?? []
                const sourceTable = before.find(
                  (candidate) =>
                    source !== undefined &&
                    analysis.tables.findByOriginalName(candidate.name) === source.table,
                )
                const column = sourceTable?.columns.find((candidate) =>
                  isSameName(candidate.name, source?.column ?? ""),
                )
                const mayBeNull =
                  output?.value === "null" ||
                  (output?.value === "same" &&
                    column?.notNull === false &&
                    !(sourceTable !== undefined && isRowid(sourceTable, column.name)))
                const nullMessage = `fails if ${table.name}.${column?.name ?? name} is NULL in a row`
                return mayBeNull ? [{ step, level: "warning", message: nullMessage, rewrite }] : []
              },
            ),
          )
    }),
  )
}

/** Finds new constraints that existing rows may break. */
function findRules({ tightens, steps, before }: Analysis): RuleFinding[] {
  return tightens.flatMap(({ kind, table, detail, columns }): RuleFinding[] => {
    const tableBefore = findTable(before, table)
    const isNew = columns.some(
      (column) => tableBefore?.columns.every(({ name }) => !isSameName(name, column)) === true,
    )
    // A new column holds NULL, which breaks no such rule.
    if (kind === "not null" || isNew) return []
    const at = steps.findLastIndex(({ effect }) =>
      [...(effect?.indexes ?? []), effect?.writes?.table ?? "", ...(effect?.names ?? [])].some(
        (touchedName) => isSameName(touchedName, table),
      ),
    )
    const index = steps.find(({ node }) => {
      if (node?.type !== "CreateIndexStmt" || !isSameName(node.tblName.text, table)) return false
      const names = node.columns.flatMap(({ expr }) => columnOf(expr) ?? [])
      return kind === "unique" && names.join(", ") === detail
    })
    const step = index ?? steps[Math.max(at, 0)]
    if (step === undefined) return []
    const message = `fails if rows of ${table} break a new rule: ${kind} (${detail})`
    const rewrite =
      kind === "unique"
        ? "Look first: SELECT …, count(*) FROM … GROUP BY … HAVING count(*) > 1. Put repeated values right in a file before this one."
        : "Look first whether there are such rows, and put them right in a file before this one."
    return [{ step, level: "warning", message, rewrite }]
  })
}
