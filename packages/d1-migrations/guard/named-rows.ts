import type { Expr } from "sqlite3-parser"

import { columnOf, type ParsedStatement } from "../analysis/parsed-script.ts"
import { columnNamed, quoteName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { balanced } from "../sql/literal.ts"

/** Maximum length of a condition, which must fit into a statement of D1. */
const mostBytes = 30_000

/**
 * Returns a condition for all rows that statements can touch, if each statement names its rows by a complete key with
 * literals; undefined if it may touch other rows.
 * @param statements all statements that write the table
 */
export function namedRows(table: Table, statements: ParsedStatement[]): string | undefined {
  const perStatement = statements.map((statement) => namedBy(table, statement))
  if (perStatement.includes(undefined)) return undefined
  const conditions = [...new Set(perStatement.flatMap((text) => text ?? []))]
  const condition = conditions.length === 0 ? "0" : balanced(conditions, "OR")
  return condition.length > mostBytes ? undefined : condition
}

function namedBy(table: Table, { node, sql }: ParsedStatement): string[] | undefined {
  const textOf = ({ span }: Expr) => sql.slice(span.offset, span.offset + span.length)
  if (node?.type === "DeleteStmt" || node?.type === "UpdateStmt") {
    const isReplacing = "orConflict" in node && node.orConflict === "Replace"
    const isJoined = "from" in node && node.from !== undefined
    const parts = equalIn(node.whereClause).map(({ column, values, expr }) => {
      return { name: columnNamed(table, column), values, expr }
    })
    const isNamed = table.uniques.some((key) =>
      key.every((column) => parts.some(({ name }) => name === folded(column))),
    )
    if (isReplacing || isJoined || !isNamed) return undefined
    return [`(${parts.map(({ expr }) => textOf(expr)).join(" AND ")})`]
  }
  if (node?.type !== "InsertStmt" || node.orConflict === "Replace") return undefined
  const { body } = node
  const upsert = body.type === "SelectInsertBody" ? body.upsert : undefined
  // Existing rows stay unchanged.
  if (upsert === undefined || upsert.doClause.type === "NothingUpsertDo") return []
  const values = body.type === "SelectInsertBody" ? body.select.select : undefined
  if (values?.type !== "SelectValues" || upsert.next !== undefined) return undefined
  const stored = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const columns = (node.columns?.map(({ text }) => text) ?? stored).map((columnName) =>
    folded(columnName),
  )
  const key = upsert.index?.targets.map(({ expr }) => columnOf(expr) ?? "") ?? []
  const isKey = table.uniques.some(
    (unique) => unique.length === key.length && unique.every((name) => key.includes(folded(name))),
  )
  const rows = values.values.map((row) =>
    key.map((name) => {
      const value = row.values[columns.indexOf(name)]
      return value === undefined || !isValue(value)
        ? undefined
        : `${quoteName(name)} = ${textOf(value)}`
    }),
  )
  if (!isKey || rows.some((row) => row.includes(undefined))) return undefined
  return rows.map((row) => `(${row.join(" AND ")})`)
}

type Equal = { column: string; values: readonly Expr[]; expr: Expr }

/** Returns the comparisons of a column with literals that every selected row must meet. */
function equalIn(part: Expr | undefined): Equal[] {
  if (part?.type === "ParenthesizedExpr" && part.exprs.length === 1) return equalIn(part.exprs[0])
  if (part?.type === "BinaryExpr" && part.op === "And") {
    return [...equalIn(part.left), ...equalIn(part.right)]
  }
  const equalTo = (operand: Expr, values: readonly Expr[]): Equal[] => {
    const column = operand.type === "Id" ? columnOf(operand) : undefined
    return column !== undefined && values.every(isValue) && part !== undefined
      ? [{ column, values, expr: part }]
      : []
  }
  if (part?.type === "BinaryExpr" && /^(?:Equals|Is)$/.test(part.op)) {
    return [...equalTo(part.left, [part.right]), ...equalTo(part.right, [part.left])]
  }
  if (part?.type === "InListExpr" && !part.not) return equalTo(part.lhs, part.rhs ?? [])
  return []
}

/** Returns whether an expression is a literal other than NULL. */
function isValue(value: Expr): boolean {
  if (value.type === "UnaryExpr") return value.op === "Negative" && isValue(value.expr)
  if (value.type === "ParenthesizedExpr") {
    return value.exprs.length === 1 && value.exprs.every(isValue)
  }
  return /^(?:String|Numeric|Blob)Literal$/.test(value.type)
}
