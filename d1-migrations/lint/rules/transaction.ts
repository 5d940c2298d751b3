import type { Found, Rule } from "../rule.ts"
import type { Step } from "../trial.ts"

export const transaction: Rule = {
  name: "transaction",
  ofWords: true,
  find: ({ steps }) => steps.flatMap(findTransaction),
}

/** Tried on workerd 1.20261102.1, which answers "not authorized" to all others. */
const allowed = new Set([
  "case_sensitive_like",
  "data_version",
  "defer_foreign_keys",
  "foreign_key_check",
  "foreign_key_list",
  "foreign_keys",
  "function_list",
  "ignore_check_constraints",
  "index_info",
  "index_list",
  "index_xinfo",
  "legacy_alter_table",
  "module_list",
  "optimize",
  "pragma_list",
  "quick_check",
  "recursive_triggers",
  "reverse_unordered_selects",
  "table_info",
  "table_list",
  "table_xinfo",
])

const own = new Map([
  ["BeginStmt", "BEGIN"],
  ["CommitStmt", "COMMIT"],
  ["RollbackStmt", "ROLLBACK"],
  ["SavepointStmt", "SAVEPOINT"],
  ["ReleaseStmt", "RELEASE"],
  ["VacuumStmt", "VACUUM"],
  ["AttachStmt", "ATTACH"],
  ["DetachStmt", "DETACH"],
])

function findTransaction(step: Step): Found[] {
  const { node } = step
  if (node === undefined) return []
  const statement = own.get(node.type)
  if (statement !== undefined) {
    const message = `D1 refuses ${statement}: the file fails. Each file is a transaction already`
    return [{ step, level: "error", message, rewrite: "Leave it out." }]
  }
  if ("temporary" in node && node.temporary) {
    const message = "D1 refuses temporary tables, views and triggers: the file fails"
    const rewrite = "Create an ordinary table, and drop it at the end of the file."
    return [{ step, level: "error", message, rewrite }]
  }
  return node.type === "PragmaStmt" ? findPragma(step, node.name.objName.text.toLowerCase()) : []
}

function findPragma(step: Step, name: string): Found[] {
  if (!allowed.has(name)) {
    const message = `D1 refuses PRAGMA ${name}: the file fails`
    return [{ step, level: "error", message, rewrite: "Leave it out." }]
  }
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
