import type { Step } from "../../reading/reading.ts"
import type { Found, Rule } from "../rule.ts"

export const transaction: Rule = {
  name: "transaction",
  find: ({ reading: { steps } }) => steps.flatMap(findTransaction),
}

function findTransaction(step: Step): Found[] {
  const { node, failure } = step
  if (failure === "not authorized" || node?.type === "VacuumStmt") {
    const isTemporary = node !== undefined && "temporary" in node && node.temporary
    const message = isTemporary
      ? "D1 refuses it: the file fails. It has no temporary tables"
      : "D1 refuses it: the file fails. Each file is a transaction already"
    return [{ step, level: "error", message, rewrite: rewriteOf(step) }]
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

function rewriteOf({ node }: Step): string {
  return node !== undefined && "temporary" in node && node.temporary
    ? "Create an ordinary table, and drop it at the end of the file."
    : "Leave it out."
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
