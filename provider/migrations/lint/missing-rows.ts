import { isSameName } from "../rehearsal/schema.ts"
import { copiedRowsOf } from "./copied-rows.ts"
import { isLedger } from "./ledger-tables.ts"
import type { Found } from "./rule.ts"
import type { Trial } from "./trial.ts"
import { isGuessed } from "./unknown-tables.ts"

/** Rows that no statement keeps anywhere, but for those that others rules speak of. */
export function findMissingRows({ steps, missing, losses }: Trial): Found[] {
  return missing.flatMap(({ table, statement }): Found[] => {
    const step = steps.find(({ number }) => number === statement)
    const known = losses.some((loss) => isSameName(loss.table, table))
    if (step === undefined || known || isGuessed(table) || isLedger(table)) return []
    const { node, effect } = step
    // Rows that go along with a table or a row that the file means to go.
    if (node?.type === "DeleteStmt") return []
    if (node?.type === "DropTableStmt" && !isSameName(node.tblName.objName.text, table)) return []
    // A copy that cannot take the made-up row may well take the real ones.
    const copied = steps.some(
      (other) =>
        other.failureOnRows !== undefined &&
        isSameName(copiedRowsOf(other)?.source ?? "", table) &&
        other.number < statement,
    )
    if (copied) return []
    const at = node?.type === "DropTableStmt" ? node.tblName.span.offset : 0
    const message =
      effect?.drops.length === 0
        ? `the rows of ${table} are replaced, and what they held is nowhere at the end`
        : `the rows of ${table} go with it: no statement before copies them whole`
    const rewrite = `Copy them first: CREATE TABLE … AS SELECT * FROM ${table}; or leave the table, and drop it in a file of its own when nothing needs it.`
    return [{ step, at, level: "error", message, rewrite, unless: `loses ${table}` }]
  })
}
