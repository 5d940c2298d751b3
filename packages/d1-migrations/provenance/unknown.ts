import type { ExistsExpr, Expr, InSelectExpr } from "sqlite3-parser"

import type { ParsedStatement } from "../lint/parsed-script.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { conditionsIn } from "./conditions.ts"
import type { Ran } from "./run.ts"
import { columnOf, comparison } from "./syntax.ts"

/** A statement of which made-up rows do not show what it does to real ones. */
export type Unknown = { statement: number; table: string; reason: string; at: number }

type Finding = {
  statements: ParsedStatement[]
  steps: Ran[]
  losses: { table: string }[]
  /** Tables that have made-up rows. */
  filled: Set<string>
  before: Table[]
}

/** Of statements that take values; what is lost for sure is said by that. */
export function findUnknown(finding: Finding): Unknown[] {
  const origins = originsOf(finding)
  return finding.statements.flatMap((statement) =>
    doubtsOf(finding, statement, origins).map((one) =>
      Object.assign(one, { statement: statement.number }),
    ),
  )
}

type Doubt = Omit<Unknown, "statement">

function doubtsOf(
  finding: Finding,
  statement: ParsedStatement,
  origins: Map<string, string>,
): Doubt[] {
  const { filled, losses, before: schema } = finding
  const step = finding.steps[statement.number - 1]
  const isLeft = ({ name }: Table) => !losses.some((one) => isSameName(one.table, name))
  const unmade = takenBy(step).flatMap((name): Doubt[] => {
    const table = findTable(schema, name)
    if (table === undefined || !isLeft(table) || filled.has(table.name)) return []
    const reason = `no row that ${table.name} takes could be made up for a trial`
    return [{ table: table.name, reason, at: 0 }]
  })
  if (unmade.length > 0) return unmade
  const { node } = statement
  if (node?.type === "DeleteStmt" || node?.type === "UpdateStmt") {
    const table = findTable(schema, node.tblName.objName.text)
    if (table === undefined || !isLeft(table) || step?.changes !== 0) return []
    const { whereClause } = node
    // A condition that is plain is met by no row because none can.
    if (whereClause === undefined || isPlain(whereClause, { schema, table })) return []
    const reason = "no made-up row meets its condition, so it is not known which real ones do"
    return [{ table: table.name, reason, at: whereClause.span.offset }]
  }
  return copiedWithDoubt(finding, statement, origins)
}

function takenBy(step: Ran | undefined): string[] {
  const { effect } = step ?? {}
  if (effect === undefined) return []
  const written = effect.writes !== undefined && effect.writes.by !== "insert"
  const named = written ? [effect.writes?.table ?? ""] : []
  return [...effect.drops, ...named, ...effect.follows, ...effect.byTriggers]
}

function originOf(name: string, origins: Map<string, string>): string {
  return origins.get(name.toLowerCase()) ?? name
}

/** For tables that the file makes or renames the one of before whose rows they hold. */
function originsOf({ statements, before }: Finding): Map<string, string> {
  const origins = new Map<string, string>()
  const note = (name: string, sources: string[]): void => {
    const origin = sources
      .map((one) => originOf(one, origins))
      .find((one) => findTable(before, one) !== undefined)
    if (origin !== undefined && findTable(before, name) === undefined) {
      origins.set(name.toLowerCase(), origin)
    }
  }
  for (const { node } of statements) {
    if (node?.type === "AlterTableStmt" && node.body.type === "RenameToAlterTableBody") {
      note(node.body.name.text, [node.tblName.objName.text])
    }
    if (node?.type !== "CreateTableStmt" && node?.type !== "InsertStmt") continue
    note(node.tblName.objName.text, conditionsIn(node).sources)
  }
  return origins
}

const copying = new Set(["InsertStmt", "CreateTableStmt", "UpdateStmt"])

/** Copies of tables that go later, whose conditions all made-up rows met. */
function copiedWithDoubt(
  finding: Finding,
  { node, number }: ParsedStatement,
  origins: Map<string, string>,
): Doubt[] {
  if (node === undefined || !copying.has(node.type)) return []
  const found = conditionsIn(node)
  const { conditions, limit } = found
  const own = node.type === "UpdateStmt" ? [node.tblName.objName.text] : []
  const sources = [...found.sources, ...own]
  if (sources.length === 0) return []
  const later = finding.statements.slice(number)
  const taken = [
    ...finding.steps.slice(number).flatMap((step) => takenBy(step)),
    ...later.flatMap((one) => columnsDropped(one.node)),
  ]
  const table = finding.before
    .map(({ name }) => name)
    .find(
      (name) =>
        sources.some((one) => isSameName(originOf(one, origins), name)) &&
        taken.some((one) => isSameName(originOf(one, origins), name)) &&
        !finding.losses.some((one) => isSameName(one.table, name)),
    )
  if (table === undefined) return []
  const doubtful = conditions.find((one) => !isPlain(one, { schema: finding.before }))
  if (doubtful !== undefined) {
    const reason = "all made-up rows meet its condition, so it is not known which real ones do not"
    return [{ table, reason, at: doubtful.span.offset }]
  }
  if (limit === undefined) return []
  const reason = "there were fewer made-up rows than its LIMIT"
  return [{ table, reason, at: limit }]
}

type Scope = {
  schema: Table[]
  /** Whose rows are sought. */
  table?: Table | undefined
}

/** Conditions for which rows on both sides are made as far as the table takes them. */
function isPlain(condition: Expr, scope: Scope): boolean {
  const { type } = condition
  if (type === "ParenthesizedExpr") return condition.exprs.every((one) => isPlain(one, scope))
  if (type === "UnaryExpr") return isPlain(condition.expr, scope)
  if (type === "BinaryExpr" && (condition.op === "And" || condition.op === "Or")) {
    return isPlain(condition.left, scope) && isPlain(condition.right, scope)
  }
  if (type === "InSelectExpr" || type === "ExistsExpr") return seeksParent(condition, scope)
  return operandsOf(condition).every((one) => isOperand(one, scope))
}

/** Rows whose parent is missing: foreign keys let none be there. */
function seeksParent(condition: InSelectExpr | ExistsExpr, { table }: Scope): boolean {
  const query = condition.type === "ExistsExpr" ? condition.select : condition.rhs
  const { select } = query
  if (query.limit !== undefined || select.type !== "SelectFrom") return false
  const source = select.from?.select
  if (source?.type !== "TableSelectTable" || select.from?.joins !== undefined) return false
  const parent = source.tblName.objName.text
  const [first] = select.columns
  const pair =
    condition.type === "ExistsExpr"
      ? equalOperands(select.whereClause)
      : select.whereClause === undefined && first?.type === "ExprResultColumn"
        ? [condition.lhs, first.expr]
        : []
  const names = pair.flatMap((one) => columnOf(one) ?? [])
  const keys = table?.foreignKeys.filter((key) => isSameName(key.parent, parent)) ?? []
  return keys.some(({ columns: [own = ""], parentColumns: [key = ""], columns }) => {
    const isKey = columns.length === 1 && names.length === 2
    return isKey && [own, key].every((name) => names.some((one) => isSameName(one, name)))
  })
}

function equalOperands(condition: Expr | undefined): Expr[] {
  const isEqual = condition?.type === "BinaryExpr" && condition.op === "Equals"
  return isEqual ? [condition.left, condition.right] : []
}

function columnsDropped(node: ParsedStatement["node"]): string[] {
  const drops = node?.type === "AlterTableStmt" && node.body.type === "DropColumnAlterTableBody"
  return drops ? [node.tblName.objName.text] : []
}

/** What a comparison compares; another expression itself. */
function operandsOf(condition: Expr): Expr[] {
  const { type } = condition
  if (type === "BinaryExpr" && comparison.test(condition.op)) {
    return [condition.left, condition.right]
  }
  if (type === "IsNullExpr" || type === "NotNullExpr") return [condition.expr]
  if (type === "BetweenExpr") return [condition.lhs, condition.start, condition.end]
  if (type === "LikeExpr") return [condition.lhs, condition.rhs]
  return type === "InListExpr" ? [condition.lhs, ...(condition.rhs ?? [])] : [condition]
}

function isOperand(expression: Expr, scope: Scope): boolean {
  const { type } = expression
  if (type === "ParenthesizedExpr") return expression.exprs.every((one) => isOperand(one, scope))
  if (type === "UnaryExpr") return isOperand(expression.expr, scope)
  const isComparison = operandsOf(expression)[0] !== expression
  if (isComparison) return isPlain(expression, scope)
  // No row can be given a value that is generated.
  const name = columnOf(expression)
  const isGenerated = scope.schema.some(({ columns }) =>
    columns.some((one) => one.generated && isSameName(one.name, name ?? "")),
  )
  return !isGenerated && /^(?:Id|QualifiedExpr|\w+Literal)$/.test(type)
}
