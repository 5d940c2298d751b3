import { isSameName } from "../../rehearsal/schema.ts"
import { bareColumn } from "../column-values.ts"
import { copiedRowsOf } from "../copied-rows.ts"
import type { Found, Rule } from "../rule.ts"
import type { Step, Trial } from "../trial.ts"

export const uniqueOnData: Rule = {
  name: "unique-on-data",
  finds: "a unique index or key on columns whose values may repeat already",
  why: "It fails on the first pair of rows with the same values, which an empty database does not have.",
  example: {
    schema: "CREATE TABLE member (id TEXT PRIMARY KEY, email TEXT);",
    sql: "CREATE UNIQUE INDEX member_email ON member (email);",
    instead:
      "-- Known to be unique: SELECT email FROM member GROUP BY email HAVING count(*) > 1\nCREATE UNIQUE INDEX member_email ON member (email);",
  },
  find: (trial) => trial.steps.flatMap((step) => findUnique(step, trial)),
}

const rewrite =
  "Look first: SELECT …, count(*) FROM … GROUP BY … HAVING count(*) > 1. Put repeated values right in a file before this one."

function findUnique(step: Step, trial: Trial): Found[] {
  const { node } = step
  if (node?.type === "CreateIndexStmt" && node.unique) {
    const table = node.tblName.text
    const columns = node.columns.map(({ expr }) => (bareColumn(expr) ?? "?").toLowerCase())
    if (!step.holdsRows(table) || isUnique({ step, trial, table, columns })) return []
    const message = `fails if rows of ${table} have the same ${columns.join(", ")}`
    return [{ step, at: node.idxName.span.offset, level: "warning", message, rewrite }]
  }
  if (node?.type === "AlterTableStmt" && step.failure === "Cannot add a UNIQUE column") {
    const message = "SQLite adds no UNIQUE column: the file fails"
    const instead = "Add the column without UNIQUE, and then CREATE UNIQUE INDEX … ON … (…)."
    return [{ step, level: "error", message, rewrite: instead }]
  }
  const copy = copiedRowsOf(step)
  const target = step.tables.find(({ name }) => isSameName(name, copy?.target ?? ""))
  if (copy === undefined || target === undefined || !step.holdsRows(copy.source)) return []
  if (copy.insert?.orConflict !== undefined) return []
  const keys = Map.groupBy(target.uniqueKeys, (key) => key.columns.join(", "))
  return [...keys.values()].flatMap(([key]): Found[] => {
    const { columns = [] } = key ?? {}
    // Rows that are put back were unique before.
    const tables = [copy.source, copy.target]
    if (tables.some((table) => isUnique({ step, trial, table, columns }))) return []
    const message = `fails if rows of ${copy.source} have the same ${columns.join(", ")}, because ${target.name} takes each only once`
    return [{ step, level: "warning", message, rewrite }]
  })
}

type Columns = { step: Step; trial: Trial; table: string; columns: string[] }

/** Whether the table is, or was before the file, unique on some of these columns. */
function isUnique({ step, trial, table, columns }: Columns): boolean {
  // The target has the key now, and that is the question.
  const target = copiedRowsOf(step)?.target ?? ""
  const now = step.tables.filter(({ name }) => isSameName(name, table) && !isSameName(name, target))
  const then = trial.before.tables.filter(({ name }) => isSameName(name, table))
  return [...now, ...then].some(({ uniqueKeys }) =>
    uniqueKeys.some(
      (key) => !key.columns.includes("?") && key.columns.every((one) => columns.includes(one)),
    ),
  )
}
