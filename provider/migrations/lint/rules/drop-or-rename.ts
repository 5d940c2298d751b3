import { findLeftBehind } from "../left-behind.ts"
import { findLostParts } from "../lost-parts.ts"
import { findMissingRows } from "../missing-rows.ts"
import type { Found, Rule } from "../rule.ts"
import type { Trial } from "../trial.ts"

export const dropOrRename: Rule = {
  name: "drop-or-rename",
  finds: "a table, column, index or name that goes, and copies that leave rows behind",
  why: "What a file drops is gone, and the version that still runs while a release moves on uses the old names. A copy that filters (`WHERE`, a join, `DISTINCT`, `OR IGNORE`) before its source is dropped leaves rows behind without a word; a rebuild forgets indexes and triggers.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, at INTEGER);",
    sql: "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, text, at FROM note WHERE text IS NOT NULL;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
    instead:
      "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, coalesce(text, ''), at FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
  },
  find: (trial) => [
    ...findMissingRows(trial),
    ...findLeftBehind(trial),
    ...findLostParts(trial),
    ...findOldNames(trial),
  ],
}

const inTwoReleases =
  "Do it in two releases: first one that no longer uses the old name, then this file."

function findOldNames({ steps }: Trial): Found[] {
  return steps.flatMap((step): Found[] => {
    const { node } = step
    if (node?.type !== "AlterTableStmt" || !step.holdsRows(node.tblName.objName.text)) return []
    const table = node.tblName.objName.text
    const { body } = node
    if (body.type === "DropColumnAlterTableBody") {
      const message = `every value of ${table}.${body.column.text} goes, and the version that still runs may use the column`
      return [
        { step, at: body.column.span.offset, level: "warning", message, rewrite: inTwoReleases },
      ]
    }
    if (body.type === "RenameColumnAlterTableBody") {
      const message = `the version that still runs may use ${table}.${body.old.text}`
      const rewrite = `Add ${body.new.text}, write both, fill it, and drop ${body.old.text} a release later.`
      return [{ step, at: body.old.span.offset, level: "warning", message, rewrite }]
    }
    // The last step of a rebuild gives a table back the name that it had.
    const isNew = /^_*(?:new|tmp|temp)_|_(?:new|tmp|temp|v\d+)$/i.test(table)
    if (body.type !== "RenameToAlterTableBody" || isNew) return []
    const message = `the version that still runs may use the table ${table}`
    const rewrite = `Keep the old name as a view until the version that uses it is gone: CREATE VIEW ${table} AS SELECT * FROM ${body.name.text};`
    return [{ step, at: body.name.span.offset, level: "warning", message, rewrite }]
  })
}
