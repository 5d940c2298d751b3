import { isOwnTable, type Names } from "../../names.ts"
import type { Step } from "../../reading/reading.ts"
import { tableIn } from "../../reading/syntax.ts"
import type { Found, Rule } from "../rule.ts"

export const ledgerWrite: Rule = {
  name: "ledger-write",
  find: ({ reading: { steps, own } }) => steps.flatMap((step) => findLedgerWrite(step, own)),
}

function findLedgerWrite(step: Step, own: Names): Found[] {
  const { node } = step
  const name = node === undefined || node.type === "CreateTableStmt" ? undefined : tableIn(node)
  if (name === undefined || !isOwnTable(name.text, own)) return []
  const message = `${name.text} is the ledger of migrations, and only what applies them writes it`
  const filter = [own.ledger, own.sidecar].map((table) => `'!${table}'`).join(", ")
  const rewrite = `Leave it out; drizzle-kit lets the table be with tablesFilter: [${filter}].`
  return [{ step, at: name.span.offset, level: "error", message, rewrite }]
}
