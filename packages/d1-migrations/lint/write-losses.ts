import type { Expr } from "sqlite3-parser"

import { declaredName } from "../files/declarations.ts"
import type { Deed } from "../reading/reading.ts"
import { columnOf } from "../reading/syntax.ts"
import { isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import {
  type Loss,
  type Context,
  isNamedSeed,
  valueLoss,
  columnNameOf,
  isTakenBack,
} from "./loss.ts"

function isReference({ foreignKeys }: Table, column: string): boolean {
  return foreignKeys.some(({ columns }) => columns.some((one) => isSameName(one, column)))
}

export function updated(
  context: Context,
  table: Table,
  deed: Extract<Deed, { does: "update" }>,
): Loss[] {
  const { reading } = context
  return deed.sets.flatMap(({ column, output, origins }): Loss[] => {
    const own = origins.find((one) => reading.former.get(one.table) === table.name)
    if (own === undefined) return []
    const name = columnNameOf(table, own.column)
    const isOwn =
      output.reads.length > 0 &&
      output.reads.every((one) => one.table === deed.table && one.column === column)
    if (isOwn && (output.value === "same" || output.value === "filled")) return []
    if (fills(deed.where, column) || isTakenBack(reading, deed.table, column)) return []
    const isAll = deed.where === undefined && !deed.isJoined
    const isSeeded = isNamedSeed(context, table, deed)
    const common = { isCertain: isAll, isSeeded }
    if (output.value === "null") {
      const isLink = isReference(table, name)
      const line = `${declaredName(table.name, name)}, at most N rows`
      return [
        isLink
          ? valueLoss(table, name, deed.number, {
              ...common,
              kind: "link",
              message: `${table.name}.${name} is emptied: what refers to another row refers to none`,
              lines: [`empties ${line}`],
            })
          : valueLoss(table, name, deed.number, {
              ...common,
              message: `${table.name}.${name} is emptied`,
            }),
      ]
    }
    if (output.value === "literal" && isAll) {
      return [
        valueLoss(table, name, deed.number, {
          ...common,
          message: `all values of ${table.name}.${name} become one`,
        }),
      ]
    }
    const instead = `Fill only what is NULL (WHERE ${name} IS NULL), or write to a new column.`
    return [
      valueLoss(table, name, deed.number, {
        ...common,
        isCertain: false,
        kind: "change",
        message: `${table.name}.${name} gets other values`,
        instead,
        lines: [`changes ${declaredName(table.name, name)}`],
      }),
    ]
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

/** Rows that are in the way of others, which an INSERT or UPDATE overwrites or deletes. */
export function replaced(context: Context, table: Table, deed: Deed): Loss[] {
  const { reading } = context
  const node = reading.steps[deed.number - 1]?.node
  const isSeeded = isNamedSeed(context, table, deed)
  const clause =
    node?.type === "InsertStmt" && node.body.type === "SelectInsertBody"
      ? node.body.upsert?.doClause
      : undefined
  if (clause?.type === "SetUpsertDo") {
    return clause.sets.flatMap(({ colNames, expr }) =>
      colNames.flatMap(({ text }) => {
        const name = columnNameOf(table, text)
        if (table.primaryKey.some((key) => isSameName(key, name))) return []
        const own = columnOf(expr)
        if (own !== undefined && expr.type === "Id" && isSameName(own, text)) return []
        const line =
          expr.type === "NullLiteral"
            ? `loses ${declaredName(table.name, name)}`
            : `changes ${declaredName(table.name, name)}`
        return [
          valueLoss(table, name, deed.number, {
            kind: expr.type === "NullLiteral" ? "value" : "change",
            isSeeded,
            message: `${table.name}.${name} is overwritten in rows that are there`,
            instead: "DO NOTHING leaves them as they are.",
            lines: [line],
          }),
        ]
      }),
    )
  }
  const given =
    node?.type === "InsertStmt" ? node.columns?.map(({ text }) => folded(text)) : undefined
  const others = table.columns.filter(
    ({ name, generated, inPrimaryKey }) => !generated && !inPrimaryKey && name !== "",
  )
  const columns = node?.type === "InsertStmt" ? others : []
  const cells = columns.map(({ name }) => {
    const isGiven = given === undefined || given.includes(folded(name))
    const line = `${isGiven ? "changes" : "loses"} ${declaredName(table.name, name)}`
    return valueLoss(table, name, deed.number, {
      kind: isGiven ? "change" : "value",
      message: `${table.name}.${name} is replaced in rows that are there`,
      instead: "INSERT OR IGNORE leaves them as they are.",
      lines: [line],
      isSeeded,
    })
  })
  const isRowToo =
    table.uniques.length > 1 || node?.type !== "InsertStmt" || table.uniques.length === 0
  const row: Loss = {
    kind: "row",
    table: table.name,
    statement: deed.number,
    message: `rows of ${table.name} that are in the way are deleted`,
    instead: "Say in words which rows go (DELETE FROM).",
    lines: [`loses ${declaredName(table.name)}, at most N rows`],
    isCertain: false,
    isSeeded,
  }
  return [...cells, ...(isRowToo ? [row] : [])]
}
