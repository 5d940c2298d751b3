import type { Name, Stmt } from "sqlite3-parser"

import type { Analysis, Step } from "../analysis/analysis.ts"
import { createdBy, tableIn } from "../analysis/parsed-script.ts"
import { isOwnTable } from "../names.ts"
import { findTable, isRowid, isSameName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import type { Loss } from "./loss.ts"

/** An error would lose rows or fail on D1; a warning needs a review. */
export type Level = "error" | "warning"

/** Rules in `rules.md`. Findings also use `fails` (SQLite or D1 rejects it) and `accept` (accepts nothing). */
export type RuleName =
  | "lost-rows"
  | "lost-values"
  | "changed-values"
  | "lost-parts"
  | "cascade-parent"
  | "not-judged"
  | StatementRule
type StatementRule = "fails-on-rows" | "old-names" | "transaction" | "ledger-write"

export type RuleFinding = {
  rule: RuleName | "fails" | "accept"
  step: Step
  /** The wrong name in the statement; by default the whole statement. */
  at?: Name | undefined
  level: Level
  message: string
  /** Advice on how to rewrite the statement. */
  rewrite: string
  /** The loss that is found. If the file declares it, the finding becomes a warning. */
  loss?: Loss
}

/** Finds the violation of each rule in a statement. */
const statementRules: Record<
  StatementRule,
  (step: Step, analysis: Analysis) => Violation | undefined
> = {
  "fails-on-rows": findUnfillable,
  "old-names": findOldName,
  transaction: findTransaction,
  "ledger-write": findLedgerWrite,
}

type Violation = [level: Level, message: string, rewrite: string, at?: Name]

/** Finds errors in single statements, independent of the losses of the file. */
export function findInStatements(
  analysis: Analysis,
  rules: StatementRule[] = ["fails-on-rows", "old-names", "transaction", "ledger-write"],
): RuleFinding[] {
  const findings = analysis.steps.flatMap((step) =>
    rules.flatMap((rule): RuleFinding[] => {
      const violation = statementRules[rule](step, analysis)
      if (violation === undefined) return []
      const [level, message, rewrite, at] = violation
      return [{ rule, step, level, message, rewrite, at }]
    }),
  )
  if (!rules.includes("fails-on-rows")) return findings
  return [...findings, ...findUnfilled(analysis), ...findTightened(analysis)]
}

function findUnfillable({ node }: Step, { before, after }: Analysis): Violation | undefined {
  if (node?.type !== "AlterTableStmt" || node.body.type !== "AddColumnAlterTableBody") {
    return undefined
  }
  const table = node.tblName.objName.text
  const name = node.body.column.colName.text
  const is = findTable(after, table)
  const column = is?.columns.find((candidate) => isSameName(candidate.name, name))
  if (findTable(before, table) === undefined || is === undefined || column === undefined) {
    return undefined
  }
  const { notNull, hasDefault, generated, defaultValue } = column
  if (notNull && !hasDefault && !generated) {
    const message = "Cannot add a NOT NULL column with default value NULL"
    const rewrite = "Give it a constant default for the rows that are there."
    return ["error", `fails as soon as there are rows: ${message}`, rewrite]
  }
  const isReference = is.foreignKeys.some(({ columns }) =>
    columns.some((candidate) => isSameName(candidate, name)),
  )
  if (!isReference || !hasDefault || /^null$/i.test(defaultValue)) return undefined
  const message = "Cannot add a REFERENCES column with non-NULL default value"
  const rewrite = "Add the column without a default, and fill it in an UPDATE."
  return ["error", `fails as soon as there are rows: ${message}`, rewrite]
}

/** Finds copies that leave a NOT NULL column of a new table without a value. */
function findUnfilled({ operations, steps, after, former }: Analysis): RuleFinding[] {
  return operations.flatMap((operation): RuleFinding[] => {
    const { number, table } = operation
    const step = steps[number - 1]
    const is = table.dropped || former.has(table) ? undefined : findTable(after, table.name)
    if (operation.does !== "copy" || is === undefined || step === undefined) return []
    const { columns, arm } = operation
    return is.columns.flatMap(({ name, notNull, hasDefault, generated }): RuleFinding[] => {
      const at = columns.indexOf(folded(name))
      const isNull = at < 0 ? !hasDefault : arm.outputs[at]?.value === "null"
      if (!notNull || generated || !isNull || isRowid(is, name)) return []
      const message = `fails as soon as there are rows: NOT NULL constraint failed: ${is.name}.${name}`
      const rewrite =
        "Give it a value for the rows that are there: a constant default, or coalesce(…) in the copy."
      return [{ rule: "fails-on-rows", step, level: "error", message, rewrite }]
    })
  })
}

/** Finds new constraints on existing columns, which rows may violate. */
function findTightened({ tightens, steps, before, operations }: Analysis): RuleFinding[] {
  return tightens.flatMap(({ kind, table, detail, columns }): RuleFinding[] => {
    const columnsBefore = findTable(before, table)?.columns ?? []
    const isNew = columns.some(
      (column) => !columnsBefore.some(({ name }) => isSameName(name, column)),
    )
    const [value] = operations.toReversed().flatMap((operation) => {
      const at = operation.does === "copy" ? operation.columns.indexOf(folded(detail)) : -1
      return operation.does === "copy" ? (operation.arm.outputs[at]?.value ?? []) : []
    })
    const step = steps.findLast(({ effect }) =>
      [...(effect?.indexes ?? []), ...(effect?.names ?? [])].some((name) =>
        isSameName(name, table),
      ),
    )
    if (isNew || (kind === "not null" && value !== "same") || step === undefined) return []
    const message = `fails if rows of ${table} break a new rule: ${kind} (${detail})`
    const rewrite =
      "Look first whether there are such rows, and put them right in a file before this one."
    return [{ rule: "fails-on-rows", step, level: "warning", message, rewrite }]
  })
}

function findOldName({ node }: Step, { before, steps }: Analysis): Violation | undefined {
  if (node?.type !== "AlterTableStmt") return undefined
  const { body, tblName } = node
  const table = tblName.objName.text
  const is = findTable(before, table)
  if (body.type === "RenameColumnAlterTableBody") {
    if (is?.columns.some(({ name }) => isSameName(name, body.old.text)) !== true) return undefined
    const message = `the version that still runs may use ${table}.${body.old.text}`
    const rewrite = `Add ${body.new.text}, write both, fill it, and drop ${body.old.text} a release later.`
    return ["warning", message, rewrite, body.old]
  }
  // Creating another table under the old name is a rebuild.
  const isMadeAgain = steps.some(({ node: nodeOfFile }) =>
    isSameName(newNameIn(nodeOfFile) ?? "", table),
  )
  if (is === undefined || body.type !== "RenameToAlterTableBody" || isMadeAgain) return undefined
  const message = `the version that still runs may use the table ${table}`
  const rewrite = `Keep the old name as a view until the version that uses it is gone: CREATE VIEW ${table} AS SELECT * FROM ${body.name.text};`
  return ["warning", message, rewrite, body.name]
}

/** Returns the new name of a table that a statement creates or renames. */
function newNameIn(node: Stmt | undefined): string | undefined {
  if (node?.type === "CreateTableStmt") return node.tblName.objName.text
  const isRename = node?.type === "AlterTableStmt" && node.body.type === "RenameToAlterTableBody"
  return isRename && node.body.type === "RenameToAlterTableBody" ? node.body.name.text : undefined
}

function findLedgerWrite({ node }: Step, { own }: Analysis): Violation | undefined {
  const name = node === undefined || node.type === "CreateTableStmt" ? undefined : tableIn(node)
  if (name === undefined || !isOwnTable(name.text, own)) return undefined
  const message = `${name.text} is the ledger of migrations, and only what applies them writes it`
  const filter = [own.ledger, own.sidecar].map((table) => `'!${table}'`).join(", ")
  const rewrite = `Leave it out; drizzle-kit lets the table be with tablesFilter: [${filter}].`
  return ["error", message, rewrite, name]
}

function findTransaction({ node, failure }: Step): Violation | undefined {
  if (failure === "not authorized" || node?.type === "VacuumStmt") {
    const isTemporary = node !== undefined && "temporary" in node && node.temporary
    const [why, rewrite] = isTemporary
      ? [
          "It has no temporary tables",
          "Create an ordinary table, and drop it at the end of the file.",
        ]
      : ["Each file is a transaction already", "Leave it out."]
    return ["error", `D1 refuses it: the file fails. ${why}`, rewrite]
  }
  if (node?.type !== "PragmaStmt" || node.body === undefined) return undefined
  const { value } = node.body
  const text = value.type === "Id" ? value.name : "value" in value ? value.value : ""
  const is = value.type === "NameExpr" ? value.name.text : text
  const isOn = /^(?:on|1|true|yes)$/i.test(is)
  const pragma = node.name.objName.text.toLowerCase()
  if (pragma === "foreign_keys") {
    const message = "PRAGMA foreign_keys does nothing on D1: foreign keys stay enforced"
    return ["warning", message, "Leave it out, because a reader may rely on it."]
  }
  if (pragma === "ignore_check_constraints" && isOn) {
    return [
      "error",
      "rows that break a CHECK are accepted, and nothing finds them later",
      "Leave it out.",
    ]
  }
  if (pragma !== "defer_foreign_keys" || isOn) return undefined
  const message =
    "from here on each statement is checked immediately, and what was deferred before is not checked at the end"
  const rewrite = "Leave it out: D1 switches it off after the file, when it has checked everything."
  return ["warning", message, rewrite]
}

/**
 * Finds statements that may lose rows or values of tables that no known file creates. A database may have such
 * tables even before the first file, if another tool created them.
 * @param isFirst whether no earlier file exists
 * @param problem why the existing tables are unknown
 */
export function findUnseen(
  { steps, before, own }: Analysis,
  isFirst: boolean,
  problem = isFirst ? "no file before makes it" : "the files that make it are not here",
) {
  const seenTables = new Set(before.map(({ name }) => folded(name)))
  const names = new Set<string>()
  const findings: RuleFinding[] = []
  for (const step of steps) {
    const { node } = step
    if (node === undefined) continue
    const created = createdBy(node)
    const name = /^Create(?:Virtual)?(?:Table|View)/.test(node.type) ? undefined : namedIn(node)
    const isMadeAgain = steps
      .slice(step.number)
      .some(
        (later) => later.node && isSameName(createdBy(later.node)?.text ?? "", name?.text ?? ""),
      )
    const isUnseen = name !== undefined && !seenTables.has(folded(name.text))
    // A trigger that the file creates writes to an unknown table.
    const isFired =
      step.failure?.startsWith("no such table") === true &&
      /^(?:Insert|Update|Delete)Stmt$/.test(node.type) &&
      steps.some(
        ({ node: trigger }) =>
          trigger?.type === "CreateTriggerStmt" &&
          isSameName(trigger.tblName.objName.text, name?.text ?? ""),
      )
    if (isUnseen) names.add(name.text)
    const isTaking = takes(node) && !(isMadeAgain && /^Drop(?:View|Trigger)/.test(node.type))
    const isMeant = !isFirst || /^(?:DropTable|Delete)Stmt$/.test(node.type)
    if (name !== undefined && isMeant && ((isUnseen && isTaking) || isFired)) {
      const message = `what becomes of ${name.text} could not be judged: ${problem}`
      const rewrite = isFirst
        ? `Leave the statement out, give the schema before it with --schema, or say why no database has rows in it: -- ${own.declarations}:accept not-judged: REASON`
        : "Lint the file in the folder of all migrations, or give the schema before it with --schema."
      findings.push({ rule: "not-judged", step, at: name, level: "error", message, rewrite })
    }
    const mayExist = "ifNotExists" in node && node.ifNotExists
    const isRename = node.type === "AlterTableStmt" && !isUnseen
    const newName = isRename ? newNameIn(node) : mayExist ? undefined : created?.text
    if (newName !== undefined) seenTables.add(folded(newName))
  }
  return { findings, names: isFirst ? [] : [...names] }
}

/** Returns the name of the object that a statement changes. */
function namedIn(node: Stmt): Name | undefined {
  if (node.type === "DropIndexStmt") return node.idxName.objName
  if (node.type === "DropViewStmt") return node.viewName.objName
  if (node.type === "DropTriggerStmt") return node.triggerName.objName
  return tableIn(node)
}

/** Returns whether a statement may remove rows, values, views or triggers. */
function takes(node: Stmt): boolean {
  if (node.type === "InsertStmt") {
    const isUpsert = "upsert" in node.body && node.body.upsert !== undefined
    return isUpsert || (node.orConflict !== undefined && node.orConflict !== "Ignore")
  }
  if (node.type === "AlterTableStmt") return node.body.type === "DropColumnAlterTableBody"
  return /^(?:Drop(?:Table|View|Trigger)|Delete|Update)Stmt$/.test(node.type)
}
