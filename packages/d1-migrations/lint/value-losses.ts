import type { Expr } from "sqlite3-parser"

import type { Operation } from "../analysis/analysis.ts"
import { valueColumns, type Destination } from "../analysis/destinations.ts"
import { columnOf } from "../analysis/parsed-script.ts"
import type { Source } from "../analysis/query.ts"
import { declaredName } from "../files/declarations.ts"
import { isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { columnNameOf, type Context, isNamedSeed, isTakenBack, type Loss, lossOf } from "./loss.ts"

type Copied = { destinations: Destination[]; copies: Extract<Operation, { does: "copy" }>[] }

/** Lists columns that are dropped, moved, converted or filled with other values. */
export function columnLosses(
  { analysis }: Context,
  table: Table,
  { destinations, copies }: Copied,
): Loss[] {
  const { operations, tables, steps } = analysis
  if (copies.length === 0 && destinations.every(({ same }) => !same)) return []
  return valueColumns(table, destinations).flatMap((column): Loss[] => {
    const isOwn = (source: Source) =>
      source.table === tables.findByOriginalName(table.name) && isSameName(source.column, column)
    const name = `${table.name}.${column}`
    const places = destinations.filter(({ columns }) => columns.has(column))
    const place = places.find(({ live, columns }) =>
      analysis.origins(live, columns.get(column) ?? "").some(isOwn),
    )
    if (place !== undefined) {
      const type = place.same ? undefined : typeChange(table, column, place)
      const change = { kind: "change", table, column, statement: copies[0]?.number ?? 1 } as const
      const message = `${name} gets the type ${type}, which may convert its values`
      return type === undefined ? [] : [lossOf(change, message, { instead: "Keep its type." })]
    }
    const drop = operations.find(
      (operation) => operation.does === "drop column" && operation.origins.some(isOwn),
    )
    const [copied] = copies.flatMap(({ arm, columns, table: into, number }) => {
      const now = places.find(({ live }) => live === into)?.columns.get(column)
      const output = now === undefined ? undefined : arm.outputs[columns.indexOf(folded(now))]
      return output === undefined ? [] : [{ value: output.value, number }]
    })
    const altering = steps.findIndex(({ node }) => node?.type === "AlterTableStmt")
    const statement =
      drop?.number ?? copied?.number ?? copies[0]?.number ?? Math.max(altering, 0) + 1
    const message = `${name} ${places.length === 0 ? "is gone with" : "loses"} its values`
    const value = { kind: "value", table, column, statement } as const
    const [to] = analysis.after.flatMap((now) => {
      const live = tables.findByName(now.name)
      const copy = now.columns.find(
        (candidate) => live !== undefined && analysis.origins(live, candidate.name).some(isOwn),
      )
      return copy === undefined ? [] : [declaredName(now.name, copy.name)]
    })
    if (to !== undefined) {
      const instead = `Its values are in ${to}: declare that, and the request compares them there.`
      const lines = [`moves ${declaredName(table.name, column)} to ${to}`]
      return [lossOf(value, message, { instead, lines })]
    }
    if (copied !== undefined && copied.value !== "null" && copied.value !== "literal") {
      const instead = "Copy the column as it is."
      return [lossOf({ ...value, kind: "change" }, `${name} gets other values`, { instead })]
    }
    const instead = `Name ${column} in both lists of the copy, or keep its values in another column: if an earlier file has copied them, say where (moves ${name} to TABLE.COLUMN).`
    return [lossOf(value, message, { isCertain: places.length === 0, instead })]
  })
}

/** The new type of a column if it may convert existing values; otherwise undefined. */
function typeChange(table: Table, name: string, place: Destination): string | undefined {
  const column = table.columns.find((candidate) => candidate.name === name)
  const is = place.table.columns.find((candidate) => candidate.name === place.columns.get(name))
  if (column === undefined || is === undefined) return undefined
  const from = affinityOf(column.type, table.strict)
  const to = affinityOf(is.type, place.table.strict)
  const isText = (affinity: string) => affinity === "text"
  const isSafe = from === to || to === "blob" || (from !== "blob" && !isText(from) && !isText(to))
  return isSafe ? undefined : is.type || "none"
}

/** sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(type: string, strict: boolean) {
  if (/INT/.test(type)) return "integer"
  if (/CHAR|CLOB|TEXT/.test(type)) return "text"
  if (type === "" || /BLOB/.test(type) || (strict && type === "ANY")) return "blob"
  return /REAL|FLOA|DOUB/.test(type) ? "real" : "numeric"
}

/** Lists values that an UPDATE replaces. */
export function updated(
  context: Context,
  table: Table,
  operation: Extract<Operation, { does: "update" }>,
): Loss[] {
  const { analysis } = context
  const { number: statement, where, isJoined, table: live } = operation
  const isSeeded = isNamedSeed(context, table, operation)
  const isWhole = where === undefined && !isJoined
  return operation.sets.flatMap(({ column: set, output, origins }): Loss[] => {
    const origin = origins.find((source) => analysis.former.get(source.table) === table.name)
    const { value, reads } = output
    const isOwn = reads.length > 0 && reads.every((r) => r.table === live && r.column === set)
    const isSame = isOwn && (value === "same" || value === "filled")
    if (origin === undefined || isSame) return []
    if (fills(where, set) || isTakenBack(analysis, live, set)) return []
    const column = columnNameOf(table, origin.column)
    const name = `${table.name}.${column}`
    const isLink = table.foreignKeys.some(({ columns }) =>
      columns.some((linkColumn) => isSameName(linkColumn, column)),
    )
    const loss = (kind: "value" | "link" | "change", message: string, overrides = {}) => [
      lossOf({ kind, table, column, statement }, message, {
        isCertain: isWhole,
        isSeeded,
        ...overrides,
      }),
    ]
    if (value === "null" && isLink) {
      return loss("link", `${name} is emptied: what refers to another row refers to none`)
    }
    if (value === "null") return loss("value", `${name} is emptied`)
    if (value === "literal" && isWhole) return loss("value", `all values of ${name} become one`)
    const instead = `Fill only what is NULL (WHERE ${column} IS NULL), or write to a new column.`
    return loss("change", `${name} gets other values`, { isCertain: false, instead })
  })
}

/** Returns whether a condition selects only rows in which a column is NULL. */
function fills(where: Expr | undefined, column: string): boolean {
  if (where?.type === "ParenthesizedExpr" && where.exprs.length === 1) {
    return fills(where.exprs[0], column)
  }
  if (where?.type === "IsNullExpr") return columnOf(where.expr) === column
  if (where?.type !== "BinaryExpr") return false
  const { op, left, right } = where
  if (op === "And") return fills(left, column) || fills(right, column)
  return op === "Is" && right.type === "NullLiteral" && columnOf(left) === column
}

/** Lists losses in existing rows that an INSERT or UPDATE overwrites or deletes on a conflict. */
export function replaced(context: Context, table: Table, operation: Operation): Loss[] {
  const { number: statement } = operation
  const node = context.analysis.steps[statement - 1]?.node
  const insert = node?.type === "InsertStmt" ? node : undefined
  const clause = insert?.body.type === "SelectInsertBody" ? insert.body.upsert?.doClause : undefined
  const isSeeded = isNamedSeed(context, table, operation)
  const cell = (column: string, isValue: boolean, effect: string, instead: string) => {
    const kind = isValue ? "change" : "value"
    const message = `${table.name}.${column} is ${effect} in rows that are there`
    return lossOf({ kind, table, column, statement }, message, { isSeeded, instead })
  }
  if (clause?.type === "SetUpsertDo") {
    return clause.sets.flatMap(({ colNames, expr }) =>
      colNames.flatMap(({ text }) => {
        const name = columnNameOf(table, text)
        const isOwn = expr.type === "Id" && isSameName(columnOf(expr) ?? "", text)
        if (isOwn || table.primaryKey.some((key) => isSameName(key, name))) return []
        const isValue = expr.type !== "NullLiteral"
        return [cell(name, isValue, "overwritten", "DO NOTHING leaves them as they are.")]
      }),
    )
  }
  const columns = insert?.columns?.map(({ text }) => folded(text))
  const cells = table.columns.flatMap(({ name, generated, inPrimaryKey }) => {
    if (insert === undefined || generated || inPrimaryKey || name === "") return []
    const isValue = columns?.includes(folded(name)) ?? true
    return [cell(name, isValue, "replaced", "INSERT OR IGNORE leaves them as they are.")]
  })
  if (insert !== undefined && table.uniques.length === 1) return cells
  const message = `rows of ${table.name} that are in the way are deleted`
  const instead = "Delete them explicitly first (DELETE FROM)."
  return [...cells, lossOf({ kind: "row", table, statement }, message, { isSeeded, instead })]
}
