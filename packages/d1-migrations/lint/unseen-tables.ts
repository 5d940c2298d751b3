import type { Name, Stmt, TriggerCmd } from "sqlite3-parser"

import type { Analysis, Step } from "../analysis/analysis.ts"
import { createdBy, tableIn } from "../analysis/parsed-script.ts"
import { isSameName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import type { RuleFinding } from "./loss.ts"

type Unseen = { found: RuleFinding[]; names: string[] }

/**
 * What takes rows or values of tables that only files know which are not here: it cannot be tried, so
 * it is not called safe. What only adds to such tables takes nothing.
 * @param problem why the existing tables are not known
 */
export function findUnseen({ steps, before }: Analysis, problem: string | undefined): Unseen {
  const knownNames = new Set(before.map(({ name }) => folded(name)))
  const names = new Set<string>()
  const findings: RuleFinding[] = []
  for (const step of steps) {
    if (step.node === undefined) continue
    for (const { name, takes } of touchedBy(step.node, steps.slice(step.number))) {
      if (knownNames.has(folded(name.text))) continue
      names.add(name.text)
      if (!takes) continue
      const why = problem ?? "the files that make it are not here"
      const message = `what becomes of ${name.text} could not be judged: ${why}`
      const rewrite =
        "Lint the file in the folder of all migrations, or give the schema before it with --schema."
      findings.push({ step, at: name.span.offset, level: "error", message, rewrite })
    }
    for (const name of madeBy(step.node, knownNames)) knownNames.add(name)
  }
  return { found: findings, names: [...names] }
}

/**
 * What a first file takes of tables that are there perhaps: nothing by its number, and everything
 * from a database that another tool made, or when the file is read apart from those before it.
 */
export function findPerhaps(analysis: Analysis): RuleFinding[] {
  const rewrite = `Leave the statement out, give the schema before it with --schema, or say why no database has rows in it: -- ${analysis.own.declarations}:accept not-judged: REASON`
  return findUnseen(analysis, "no file before makes it")
    .found.filter(({ step: { node } }) => /^(?:DropTable|Delete)Stmt$/.test(node?.type ?? ""))
    .map((finding) => Object.assign(finding, { rewrite }))
}

/** Names in lower case that are known after a statement. */
function madeBy(node: Stmt, knownNames: Set<string>): string[] {
  const created = createdBy(node)
  const mayExist = "ifNotExists" in node && node.ifNotExists
  if (created !== undefined && !mayExist) return [folded(created.text)]
  if (node.type !== "AlterTableStmt" || node.body.type !== "RenameToAlterTableBody") return []
  return knownNames.has(folded(node.tblName.objName.text)) ? [folded(node.body.name.text)] : []
}

type Touched = { name: Name; takes: boolean }

/** What a statement touches, and whether it may take rows, values or what keeps them in order. */
function touchedBy(node: Stmt, later: Step[]): Touched[] {
  const staysAway = ({ objName }: { objName: Name }) =>
    !later.some(
      ({ node: laterNode }) =>
        laterNode && isSameName(createdBy(laterNode)?.text ?? "", objName.text),
    )
  if (node.type === "DropIndexStmt") return [{ name: node.idxName.objName, takes: false }]
  if (node.type === "DropViewStmt") {
    return [{ name: node.viewName.objName, takes: staysAway(node.viewName) }]
  }
  if (node.type === "DropTriggerStmt") {
    return [{ name: node.triggerName.objName, takes: staysAway(node.triggerName) }]
  }
  const name = tableIn(node)
  if (node.type === "CreateTableStmt" || name === undefined) return []
  if (node.type !== "CreateTriggerStmt") return [{ name, takes: !addsOnly(node) }]
  const isFired = later.some((step) => step.node && firedBy(step.node, name))
  const commands = isFired ? node.commands : []
  const inside = commands.flatMap((command): Touched[] => {
    const table = tableIn(command)
    return table === undefined ? [] : [{ name: table, takes: !addsOnly(command) }]
  })
  return [{ name, takes: false }, ...inside]
}

function firedBy(node: Stmt, table: Name): boolean {
  const isWrite = ["InsertStmt", "UpdateStmt", "DeleteStmt"].includes(node.type)
  return isWrite && isSameName(tableIn(node)?.text ?? "", table.text)
}

function addsOnly(node: Stmt | TriggerCmd): boolean {
  if (node.type === "InsertStmt" || node.type === "InsertTriggerCmd") {
    const body = node.type === "InsertTriggerCmd" ? node : node.body
    const upsert = "upsert" in body ? body.upsert : undefined
    const replaces = node.orConflict !== undefined && node.orConflict !== "Ignore"
    return upsert === undefined && !replaces
  }
  if (node.type === "AlterTableStmt") return node.body.type !== "DropColumnAlterTableBody"
  return node.type === "CreateIndexStmt" || node.type === "SelectTriggerCmd"
}
