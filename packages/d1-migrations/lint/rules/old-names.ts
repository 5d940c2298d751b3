import type { Reading } from "../../reading/reading.ts"
import { findTable, isSameName } from "../../schema/schema.ts"
import { folded } from "../../sql/folded.ts"
import type { Found, Judged, Rule } from "../rule.ts"

export const oldNames: Rule = {
  name: "old-names",
  find: findOldNames,
}

function findOldNames({ reading: { steps, before } }: Judged): Found[] {
  const after = new Set(steps.flatMap(({ node }) => newNameIn(node)))
  return steps.flatMap((step): Found[] => {
    const { node } = step
    if (node?.type !== "AlterTableStmt") return []
    const table = node.tblName.objName.text
    const known = findTable(before, table)
    if (known === undefined) return []
    const { body } = node
    if (body.type === "RenameColumnAlterTableBody") {
      if (!known.columns.some(({ name }) => isSameName(name, body.old.text))) return []
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

function newNameIn(node: Reading["steps"][number]["node"]): string[] {
  if (node?.type === "CreateTableStmt") return [folded(node.tblName.objName.text)]
  if (node?.type !== "AlterTableStmt") return []
  return node.body.type === "RenameToAlterTableBody" ? [folded(node.body.name.text)] : []
}
