import type { Analysis, Step } from "../analysis/analysis.ts"
import { tableIn } from "../analysis/parsed-script.ts"
import { isOwnTable } from "../names.ts"
import { findTable, isSameName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { findOnRows } from "./fails-on-rows.ts"
import type { RuleFinding, Judged, Loss, Rule } from "./loss.ts"

export const rules: Rule[] = [
  { name: "lost-rows", find: (judged) => findLosses(judged, ["row", "repeat"]) },
  { name: "lost-values", find: (judged) => findLosses(judged, ["value", "link"]) },
  { name: "changed-values", find: (judged) => findLosses(judged, ["change"]) },
  { name: "lost-parts", find: (judged) => findLosses(judged, ["part"]) },
  { name: "cascade-parent", find: (judged) => findLosses(judged, undefined) },
  { name: "not-judged", find: ({ unseen }) => unseen },
  { name: "fails-on-rows", find: ({ analysis }) => findOnRows(analysis) },
  { name: "old-names", find: ({ analysis }) => findOldNames(analysis) },
  { name: "transaction", find: ({ analysis }) => findTransactions(analysis) },
  { name: "ledger-write", find: ({ analysis }) => findLedgerWrites(analysis) },
]

/** @param kinds the losses by the file's own statements; undefined for losses by foreign keys and triggers */
function findLosses(
  { analysis, losses }: Judged,
  kinds: Loss["kind"][] | undefined,
): RuleFinding[] {
  return losses.flatMap((loss): RuleFinding[] => {
    const step = analysis.steps[loss.statement - 1]
    const isMeant = loss.byReference === true ? kinds === undefined : kinds?.includes(loss.kind)
    if (step === undefined || isMeant !== true) return []
    const level = loss.isSeeded === true ? "warning" : "error"
    const at = (step.node && tableIn(step.node))?.span.offset ?? 0
    const rewrite = rewriteOf(loss, analysis.own.declarations)
    return [{ step, at, level, message: loss.message, rewrite, loss }]
  })
}

/** What to do instead, and the line to write if it is meant. */
export function rewriteOf(
  { instead, lines, isSeeded, kind, isCertain }: Loss,
  begin: string,
): string {
  const [line] = lines
  if (line === undefined) return instead
  const declarations = lines.map((text) => `-- ${begin}:${text}: REASON`).join(" and ")
  if (isSeeded === true && kind !== "part") {
    return `Nothing has to be done where the rows are still as an earlier file wrote them. Else: ${declarations}`
  }
  const zero = line.endsWith("at most N rows") ? " (0 where no database has such rows)" : ""
  const look =
    isCertain || kind === "part"
      ? ""
      : " `apply` compares every row, and needs the line only if one is touched."
  return `${instead} If it is meant, say so: ${declarations}${zero}.${look}`
}

function findLedgerWrites({ steps, own }: Analysis): RuleFinding[] {
  return steps.flatMap((step): RuleFinding[] => {
    const { node } = step
    const name = node === undefined || node.type === "CreateTableStmt" ? undefined : tableIn(node)
    if (name === undefined || !isOwnTable(name.text, own)) return []
    const message = `${name.text} is the ledger of migrations, and only what applies them writes it`
    const filter = [own.ledger, own.sidecar].map((table) => `'!${table}'`).join(", ")
    const rewrite = `Leave it out; drizzle-kit lets the table be with tablesFilter: [${filter}].`
    return [{ step, at: name.span.offset, level: "error", message, rewrite }]
  })
}

function findOldNames({ steps, before }: Analysis): RuleFinding[] {
  const after = new Set(steps.flatMap(({ node }) => newNameIn(node)))
  return steps.flatMap((step): RuleFinding[] => {
    const { node } = step
    if (node?.type !== "AlterTableStmt") return []
    const table = node.tblName.objName.text
    const tableBefore = findTable(before, table)
    if (tableBefore === undefined) return []
    const { body } = node
    if (body.type === "RenameColumnAlterTableBody") {
      if (!tableBefore.columns.some(({ name }) => isSameName(name, body.old.text))) return []
      const message = `the version that still runs may use ${table}.${body.old.text}`
      const rewrite = `Add ${body.new.text}, write both, fill it, and drop ${body.old.text} a release later.`
      return [{ step, at: body.old.span.offset, level: "warning", message, rewrite }]
    }
    // A table that is made again under its name is a rebuild.
    if (body.type !== "RenameToAlterTableBody" || after.has(folded(table))) return []
    const message = `the version that still runs may use the table ${table}`
    const rewrite = `Keep the old name as a view until the version that uses it is gone: CREATE VIEW ${table} AS SELECT * FROM ${body.name.text};`
    return [{ step, at: body.name.span.offset, level: "warning", message, rewrite }]
  })
}

function newNameIn(node: Step["node"]): string[] {
  if (node?.type === "CreateTableStmt") return [folded(node.tblName.objName.text)]
  if (node?.type !== "AlterTableStmt") return []
  return node.body.type === "RenameToAlterTableBody" ? [folded(node.body.name.text)] : []
}

export function findTransactions({ steps }: Analysis): RuleFinding[] {
  return steps.flatMap(findTransaction)
}

function findTransaction(step: Step): RuleFinding[] {
  const { node, failure } = step
  if (failure === "not authorized" || node?.type === "VacuumStmt") {
    const isTemporary = node !== undefined && "temporary" in node && node.temporary
    const [why, rewrite] = isTemporary
      ? [
          "It has no temporary tables",
          "Create an ordinary table, and drop it at the end of the file.",
        ]
      : ["Each file is a transaction already", "Leave it out."]
    const message = `D1 refuses it: the file fails. ${why}`
    return [{ step, level: "error", message, rewrite }]
  }
  if (node?.type !== "PragmaStmt") return []
  const name = node.name.objName.text.toLowerCase()
  const value = valueOf(step)
  if (name === "foreign_keys" && value !== undefined) {
    const message = "PRAGMA foreign_keys does nothing on D1: foreign keys stay enforced"
    const rewrite = "Leave it out, so that nobody relies on it."
    return [{ step, level: "warning", message, rewrite }]
  }
  if (name === "ignore_check_constraints" && isOn(value)) {
    const message = "rows that break a CHECK get in, and nothing finds them later"
    return [{ step, level: "error", message, rewrite: "Leave it out." }]
  }
  if (name !== "defer_foreign_keys" || value === undefined || isOn(value)) return []
  const message =
    "from here on each statement is checked at once, and what was deferred before is not checked at the end"
  const rewrite = "Leave it out: D1 switches it off after the file, when it has checked everything."
  return [{ step, level: "warning", message, rewrite }]
}

function valueOf({ node }: Step): string | undefined {
  if (node?.type !== "PragmaStmt" || node.body === undefined) return undefined
  const { value } = node.body
  if (value.type === "NameExpr") return value.name.text.toLowerCase()
  if (value.type === "Id") return value.name.toLowerCase()
  return "value" in value && typeof value.value === "string" ? value.value.toLowerCase() : ""
}

function isOn(value: string | undefined): boolean {
  return value === "on" || value === "1" || value === "true" || value === "yes"
}
