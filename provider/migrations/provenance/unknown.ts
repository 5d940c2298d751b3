import type { DeleteStmt, Expr, UpdateStmt } from "sqlite3-parser"

import type { ParsedStatement } from "../lint/parsed-script.ts"
import { isOwnTable } from "../own-tables.ts"
import { isSameName } from "../rehearsal/schema.ts"
import { conditionsIn } from "./conditions.ts"
import type { Ran } from "./run.ts"

/** A statement of which made-up rows do not show what it does to real ones. */
export type Unknown = { statement: number; table: string; reason: string; at: number }

type Finding = {
  statements: ParsedStatement[]
  steps: Ran[]
  losses: { table: string }[]
  /** Tables that have made-up rows. */
  filled: Set<string>
  /** Tables of before. */
  present: string[]
}

/** Of statements that take values; what is lost for sure is said by that. */
export function findUnknown(finding: Finding): Unknown[] {
  return finding.statements.flatMap((statement, index): Unknown[] => {
    const { node, number } = statement
    const step = finding.steps[index]
    const known = (table: string) => finding.losses.some((one) => isSameName(one.table, table))
    const before = (table: string) => finding.present.find((name) => isSameName(name, table))
    const taken = takenBy(step).flatMap((name) => (isOwnTable(name) ? [] : (before(name) ?? [])))
    const unfilled = taken.filter((name) => !finding.filled.has(name) && !known(name))
    const unmade = unfilled.map((table) => {
      const reason = `no row that ${table} takes could be made up for a trial`
      return { statement: number, table, reason, at: 0 }
    })
    if (unmade.length > 0) return unmade
    if (node?.type === "DeleteStmt" || node?.type === "UpdateStmt") {
      const table = before(node.tblName.objName.text)
      if (table === undefined || isOwnTable(table) || known(table) || step?.changes !== 0) return []
      return unclear(node).map(({ reason, at }) => ({ statement: number, table, reason, at }))
    }
    return copiedWithDoubt(finding, statement).map(({ table, reason, at }) => {
      return { statement: number, table, reason, at }
    })
  })
}

function takenBy(step: Ran | undefined): string[] {
  const { effect } = step ?? {}
  if (effect === undefined) return []
  const written = effect.writes !== undefined && effect.writes.by !== "insert"
  return [...effect.drops, ...(written ? [effect.writes?.table ?? ""] : []), ...effect.follows]
}

/** Why no row met the condition, where that is not because none can. */
function unclear(node: DeleteStmt | UpdateStmt): { reason: string; at: number }[] {
  const { whereClause } = node
  if (whereClause === undefined || isPlain(whereClause)) return []
  const reason = "no made-up row meets its condition, so it is not known which real ones do"
  return [{ reason, at: whereClause.span.offset }]
}

/** Copies of tables that go later, whose conditions all made-up rows met. */
function copiedWithDoubt(finding: Finding, { node, number }: ParsedStatement) {
  if (node?.type !== "InsertStmt" && node?.type !== "CreateTableStmt") return []
  const { sources, conditions, limit } = conditionsIn(node)
  if (sources.length === 0) return []
  const taken = finding.steps.slice(number).flatMap((step) => takenBy(step))
  const table = finding.present.find(
    (name) =>
      sources.some((one) => isSameName(one, name)) &&
      taken.some((one) => isSameName(one, name)) &&
      !finding.losses.some((one) => isSameName(one.table, name)),
  )
  if (table === undefined) return []
  const doubtful = conditions.find((one) => !isPlain(one))
  if (doubtful !== undefined) {
    const reason = "all made-up rows meet its condition, so it is not known which real ones do not"
    return [{ table, reason, at: doubtful.span.offset }]
  }
  if (limit === undefined) return []
  const reason = "there were fewer made-up rows than its LIMIT"
  return [{ table, reason, at: limit }]
}

/** Conditions for which rows on both sides are made as far as the table takes them. */
function isPlain(condition: Expr): boolean {
  const { type } = condition
  if (type === "ParenthesizedExpr") return condition.exprs.every(isPlain)
  if (type === "UnaryExpr") return isPlain(condition.expr)
  if (type === "BinaryExpr" && (condition.op === "And" || condition.op === "Or")) {
    return isPlain(condition.left) && isPlain(condition.right)
  }
  return operandsOf(condition).every(isOperand)
}

/** What a comparison compares. */
function operandsOf(condition: Expr): Expr[] {
  const { type } = condition
  if (type === "BinaryExpr") return [condition.left, condition.right]
  if (type === "IsNullExpr" || type === "NotNullExpr") return [condition.expr]
  if (type === "BetweenExpr") return [condition.lhs, condition.start, condition.end]
  if (type === "LikeExpr") return [condition.lhs, condition.rhs]
  return type === "InListExpr" ? [condition.lhs, ...(condition.rhs ?? [])] : [condition]
}

function isOperand(expression: Expr): boolean {
  if (expression.type === "ParenthesizedExpr") return expression.exprs.every(isOperand)
  if (expression.type === "UnaryExpr") return isOperand(expression.expr)
  return /^(?:Id|QualifiedExpr|\w+Literal)$/.test(expression.type)
}
