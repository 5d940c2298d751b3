import type { Expr } from "sqlite3-parser"

import type { Operation } from "../analysis/analysis.ts"
import { columnOf } from "../analysis/parsed-script.ts"
import { isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import {
  columnNameOf,
  type Context,
  isNamedSeed,
  isTakenBack,
  type Loss,
  rowLoss,
  valueLoss,
} from "./loss.ts"

export function updated(
  context: Context,
  table: Table,
  operation: Extract<Operation, { does: "update" }>,
): Loss[] {
  const { analysis } = context
  const isSeeded = isNamedSeed(context, table, operation)
  return operation.sets.flatMap(({ column, output, origins }): Loss[] => {
    const origin = origins.find((source) => analysis.former.get(source.table) === table.name)
    if (origin === undefined) return []
    const name = columnNameOf(table, origin.column)
    const isOwn =
      output.reads.length > 0 &&
      output.reads.every((read) => read.table === operation.table && read.column === column)
    if (isOwn && (output.value === "same" || output.value === "filled")) return []
    if (fills(operation.where, column) || isTakenBack(analysis, operation.table, column)) return []
    const isCertain = operation.where === undefined && !operation.isJoined
    const loss = (message: string, overrides: Partial<Loss> = {}) => [
      valueLoss(table, name, operation.number, { isCertain, isSeeded, message, ...overrides }),
    ]
    if (output.value === "null") {
      const isLink = table.foreignKeys.some(({ columns }) =>
        columns.some((linkColumn) => isSameName(linkColumn, name)),
      )
      const emptied = `${table.name}.${name} is emptied`
      return isLink
        ? loss(`${emptied}: what refers to another row refers to none`, { kind: "link" })
        : loss(emptied)
    }
    if (output.value === "literal" && isCertain) {
      return loss(`all values of ${table.name}.${name} become one`)
    }
    const instead = `Fill only what is NULL (WHERE ${name} IS NULL), or write to a new column.`
    const message = `${table.name}.${name} gets other values`
    return loss(message, { isCertain: false, kind: "change", instead })
  })
}

/** Whether a condition holds only where a column is NULL. */
function fills(where: Expr | undefined, column: string): boolean {
  if (where?.type === "ParenthesizedExpr" && where.exprs.length === 1) {
    return fills(where.exprs[0], column)
  }
  if (where?.type === "BinaryExpr" && where.op === "And") {
    return fills(where.left, column) || fills(where.right, column)
  }
  if (where?.type === "IsNullExpr") return columnOf(where.expr) === column
  return (
    where?.type === "BinaryExpr" &&
    where.op === "Is" &&
    where.right.type === "NullLiteral" &&
    columnOf(where.left) === column
  )
}

/** Losses of existing rows that an INSERT or UPDATE overwrites or deletes on a conflict. */
export function replaced(context: Context, table: Table, operation: Operation): Loss[] {
  const node = context.analysis.steps[operation.number - 1]?.node
  const isSeeded = isNamedSeed(context, table, operation)
  const cell = (name: string, isGiven: boolean, effect: string, instead: string) => {
    const message = `${table.name}.${name} is ${effect} in rows that are there`
    const kind = isGiven ? "change" : "value"
    return valueLoss(table, name, operation.number, { kind, isSeeded, message, instead })
  }
  const insert = node?.type === "InsertStmt" ? node : undefined
  const clause = insert?.body.type === "SelectInsertBody" ? insert.body.upsert?.doClause : undefined
  if (clause?.type === "SetUpsertDo") {
    return clause.sets.flatMap(({ colNames, expr }) =>
      colNames.flatMap(({ text }) => {
        const name = columnNameOf(table, text)
        const isOwn = expr.type === "Id" && isSameName(columnOf(expr) ?? "", text)
        if (isOwn || table.primaryKey.some((key) => isSameName(key, name))) return []
        const isGiven = expr.type !== "NullLiteral"
        return [cell(name, isGiven, "overwritten", "DO NOTHING leaves them as they are.")]
      }),
    )
  }
  const insertedColumns = insert?.columns?.map(({ text }) => folded(text))
  const cells = table.columns.flatMap(({ name, generated, inPrimaryKey }) => {
    if (insert === undefined || generated || inPrimaryKey || name === "") return []
    const isGiven = insertedColumns === undefined || insertedColumns.includes(folded(name))
    return [cell(name, isGiven, "replaced", "INSERT OR IGNORE leaves them as they are.")]
  })
  const isRowToo = insert === undefined || table.uniques.length !== 1
  const message = `rows of ${table.name} that are in the way are deleted`
  const instead = "Say in words which rows go (DELETE FROM)."
  const row = rowLoss(table, operation.number, message, { isSeeded, instead })
  return [...cells, ...(isRowToo ? [row] : [])]
}
