import type { Expr, Stmt } from "sqlite3-parser"

import type { ParsedStatement } from "../lint/parsed-script.ts"
import { columnOf } from "../provenance/syntax.ts"
import { columnNamed, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { balanced } from "./balanced.ts"

/** Rows of a table that statements name by their keys, in literals. */
export type NamedRows = {
  /** An SQL condition on the table of before. */
  condition: string
  /** Keys in it: it may hold for no more rows. */
  keys: number
  /** Columns to which nothing but literals is given, and in no other rows. */
  columns: string[]
  /** Whether no other row can be touched. */
  only: boolean
}

/** Bytes of a condition: with the rest it has to fit into a statement of D1. */
const mostBytes = 30_000

/** @param statements all that write the table */
export function namedRows(table: Table, statements: ParsedStatement[]): NamedRows | undefined {
  const all = statements.map((statement) => namedBy(table, statement))
  const keysOf = new Map(all.flatMap((one) => [...one.conditions]))
  const conditions = [...keysOf.keys()]
  if (conditions.length === 0) return undefined
  const condition = balanced(conditions, "OR")
  const keys = [...keysOf.values()].reduce((sum, some) => sum + some, 0)
  const others = new Set(all.flatMap((one) => one.others))
  const only = all.every((one) => one.only)
  if (condition.length > mostBytes || conditions.length > 200) return undefined
  const given = new Set(all.flatMap((one) => one.given))
  const columns = table.columns
    .map(({ name }) => folded(name))
    .filter((name) => given.has(name) && !others.has(name) && !others.has("*"))
  return { condition, keys, columns, only }
}

/** Conditions that name rows by whole keys, and how many keys each of them has. */
type Conditions = Map<string, number>

/** `given` get literals in the rows of `conditions`; `others` get other values, or in other rows. */
type Named = { conditions: Conditions; given: string[]; others: string[]; only: boolean }

const unknown: Named = { conditions: new Map(), given: [], others: ["*"], only: false }

function namedBy(table: Table, { node, sql }: ParsedStatement): Named {
  const textOf = ({ span }: Expr) => sql.slice(span.offset, span.offset + span.length)
  if (node?.type === "DeleteStmt") {
    const conditions = keyIn(table, node.whereClause, textOf)
    return { conditions, given: [], others: [], only: conditions.size > 0 }
  }
  if (node?.type === "UpdateStmt") {
    const conditions = keyIn(table, node.whereClause, textOf)
    const { given, others } = valuesOf(table, node.sets, isValue)
    const none = { conditions, given: [], others: [...given, ...others], only: false }
    if (conditions.size === 0) return none
    const isAlone = node.orConflict !== "Replace" && !("from" in node && node.from !== undefined)
    return { conditions, given, others, only: isAlone }
  }
  return node?.type === "InsertStmt" ? insertedBy(table, node, textOf) : unknown
}

type Sets = Extract<Stmt, { type: "UpdateStmt" }>["sets"]

function valuesOf(table: Table, sets: Sets, is: (value: Expr) => boolean) {
  const given: string[] = []
  const others: string[] = []
  for (const { colNames, expr } of sets) {
    for (const { text } of colNames) {
      const name = folded(text)
      const isOwn = !table.columns.some((one) => one.inPrimaryKey && isSameName(one.name, name))
      if (isOwn && colNames.length === 1 && is(expr)) given.push(name)
      else others.push(name)
    }
  }
  return { given, others }
}

type Text = (expression: Expr) => string

function insertedBy(
  table: Table,
  node: Extract<Stmt, { type: "InsertStmt" }>,
  textOf: Text,
): Named {
  const { body, orConflict } = node
  const upsert = body.type === "SelectInsertBody" ? body.upsert : undefined
  const clause = upsert?.doClause
  const isReplacing = orConflict === "Replace"
  const isIgnoring = clause?.type === "NothingUpsertDo" && upsert?.next === undefined
  const values = body.type === "SelectInsertBody" ? body.select.select : undefined
  if (!isReplacing && (upsert === undefined || isIgnoring)) {
    // Rows that are there stay as they are.
    return { ...unknown, others: [], only: values === undefined || values.type === "SelectValues" }
  }
  if (values?.type !== "SelectValues") return unknown
  const stored = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const columns = (node.columns?.map(({ text }) => text) ?? stored).map((one) => folded(one))
  const rows = values.values.map((row) => row.values)
  const isGiven = (name: string) =>
    rows.every((row) => {
      const value = row[columns.indexOf(name)]
      return value !== undefined && isValue(value)
    })
  // Rows that another clause finds, or that are in the way of a replacement besides, are named by no key.
  const isUpsert = clause?.type === "SetUpsertDo" && upsert?.next === undefined && !isReplacing
  if (upsert !== undefined && !isUpsert) return unknown
  const key = isUpsert
    ? (upsert?.index?.targets.map(({ expr }) => columnOf(expr) ?? "") ?? [])
    : table.columns.flatMap(({ name, inPrimaryKey }) => (inPrimaryKey ? [folded(name)] : []))
  const isKey = table.uniques.some(
    (one) => one.length === key.length && one.every((name) => key.includes(folded(name))),
  )
  if (!isKey || !key.every(isGiven)) return unknown
  const conditions = new Map(
    rows.map((row) => {
      const parts = key.map((name) => {
        const value = row[columns.indexOf(name)]
        return `${quoteName(name)} = ${value === undefined ? "NULL" : textOf(value)}`
      })
      return [`(${parts.join(" AND ")})`, 1]
    }),
  )
  if (!isUpsert) {
    const own = columns.filter((name) => !key.includes(name))
    const given = own.filter(isGiven)
    return { conditions, given, others: own.filter((name) => !given.includes(name)), only: false }
  }
  const isExcluded = (value: Expr) =>
    value.type === "QualifiedExpr" &&
    isSameName(value.table.text, "excluded") &&
    isGiven(folded(value.column.text))
  const { given, others } = valuesOf(
    table,
    clause.sets,
    (value) => isValue(value) || isExcluded(value),
  )
  return { conditions, given, others, only: true }
}

/** What a row must have that a condition finds by a whole key; none when it may find others. */
function keyIn(table: Table, condition: Expr | undefined, textOf: Text): Conditions {
  const parts = keyParts(table, condition)
  if (parts.length === 0) return new Map()
  const sql = parts.map(({ columns, rows }) => {
    const list = (texts: string[]) => (texts.length === 1 ? texts[0] : `(${texts.join(", ")})`)
    const values = rows.map((row) => list(row.map(textOf)))
    const names = list(columns.map(quoteName))
    if (values.length === 1) return `${names} = ${values[0]}`
    return columns.length === 1
      ? `${names} IN (${values.join(", ")})`
      : `${names} IN (VALUES ${values.join(", ")})`
  })
  const keys = parts.reduce((product, { rows }) => product * rows.length, 1)
  return new Map([[`(${sql.join(" AND ")})`, keys]])
}

/** Columns, and what a condition takes for them: one of these rows. */
type Equal = { columns: string[]; rows: Part[] }
type Part = readonly Expr[]

/** What a condition says of a whole key of a table, in literals. */
function keyParts(table: Table, condition: Expr | undefined): Equal[] {
  const equal = equalIn(condition).map(({ columns, rows }) => {
    return { columns: columns.map((name) => columnNamed(table, name)), rows }
  })
  const isSaid = (name: string) => equal.some(({ columns }) => columns.includes(folded(name)))
  const key = table.uniques.find((one) => one.every(isSaid))?.map(folded) ?? []
  return equal.filter(({ columns }) => columns.some((name) => key.includes(name)))
}

/** Keys that a statement names, as SQL by column. */
export function keysNamed(
  table: Table,
  node: Stmt | undefined,
  sql: string,
): Record<string, string>[] {
  if (node?.type !== "UpdateStmt" && node?.type !== "DeleteStmt") return []
  if (!isSameName(node.tblName.objName.text, table.name)) return []
  const parts = keyParts(table, node.whereClause)
  const textOf = ({ span }: Expr) => sql.slice(span.offset, span.offset + span.length)
  const nameOf = (column: string) =>
    table.columns.find(({ name }) => isSameName(name, column))?.name ?? column
  const all = parts.reduce<Record<string, string>[]>(
    (known, { columns, rows }) =>
      known.flatMap((cells) =>
        rows.map((row) => ({
          ...cells,
          ...Object.fromEntries(
            columns.map((name, at) => [
              nameOf(name),
              row[at] === undefined ? "NULL" : textOf(row[at]),
            ]),
          ),
        })),
      ),
    [{}],
  )
  return all.filter((cells) => Object.keys(cells).length > 0)
}

function equalIn(part: Expr | undefined): Equal[] {
  if (part?.type === "ParenthesizedExpr" && part.exprs.length === 1) return equalIn(part.exprs[0])
  if (part?.type === "BinaryExpr" && part.op === "And") {
    return [...equalIn(part.left), ...equalIn(part.right)]
  }
  const listOf = (one: Expr): Part => (one.type === "ParenthesizedExpr" ? one.exprs : [one])
  const equalTo = (one: Expr, rows: Part[]): Equal[] => {
    const columns = listOf(one).flatMap((name) => columnOf(name) ?? [])
    const isWhole = columns.length === listOf(one).length && rows.length > 0
    const isSaid = rows.every((row) => row.length === columns.length && row.every(isValue))
    return isWhole && isSaid ? [{ columns, rows }] : []
  }
  if (part?.type === "BinaryExpr" && /^(?:Equals|Is)$/.test(part.op)) {
    const [one, other] = [part.left, part.right]
    return [...equalTo(one, [listOf(other)]), ...equalTo(other, [listOf(one)])]
  }
  if (part?.type === "InListExpr" && !part.not) {
    return equalTo(
      part.lhs,
      (part.rhs ?? []).map((one) => [one]),
    )
  }
  if (part?.type !== "InSelectExpr" || part.not) return []
  const { select } = part.rhs
  if (select.type !== "SelectValues") return []
  return equalTo(
    part.lhs,
    select.values.map(({ values }) => values),
  )
}

/** A literal, but for NULL: what is emptied is not given anything. */
function isValue(value: Expr): boolean {
  if (value.type === "UnaryExpr") return value.op === "Negative" && isValue(value.expr)
  if (value.type === "ParenthesizedExpr") {
    return value.exprs.length === 1 && value.exprs.every(isValue)
  }
  return /^(?:String|Numeric|Blob)Literal$/.test(value.type)
}
