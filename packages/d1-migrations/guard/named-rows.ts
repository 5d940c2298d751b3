import type { Expr, Stmt } from "sqlite3-parser"

import type { ParsedStatement } from "../lint/parsed-script.ts"
import { columnOf } from "../provenance/syntax.ts"
import { isSameName, quoteName, type Table } from "../schema/schema.ts"
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
  if (body.type !== "SelectInsertBody" || body.select.select.type !== "SelectValues") return unknown
  const stored = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const columns = (node.columns?.map(({ text }) => text) ?? stored).map((one) => folded(one))
  const rows = body.select.select.values.map(({ values }) => values)
  const isGiven = (name: string) =>
    rows.every((row) => {
      const value = row[columns.indexOf(name)]
      return value !== undefined && isValue(value)
    })
  const { upsert } = body
  const clause = upsert?.doClause
  const isReplacing = orConflict === "Replace"
  // Rows that another clause finds, or that are in the way of a replacement besides, are named by no key.
  const isUpsert = clause?.type === "SetUpsertDo" && upsert?.next === undefined && !isReplacing
  if (!isUpsert && (upsert !== undefined || !isReplacing)) return unknown
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
  const equal = new Map<string, { sql: string; values: number }>()
  const visit = (part: Expr | undefined): void => {
    if (part?.type === "ParenthesizedExpr") {
      if (part.exprs.length === 1) visit(part.exprs[0])
      return
    }
    if (part?.type === "BinaryExpr" && part.op === "And") {
      visit(part.left)
      visit(part.right)
    } else if (part?.type === "BinaryExpr" && part.op === "Equals") {
      const name = columnOf(part.left)
      if (name !== undefined && isValue(part.right)) {
        equal.set(name, { sql: `${quoteName(name)} = ${textOf(part.right)}`, values: 1 })
      }
    } else if (part?.type === "InListExpr" && !part.not) {
      const name = columnOf(part.lhs)
      const list = part.rhs ?? []
      if (name !== undefined && list.length > 0 && list.every(isValue)) {
        const sql = `${quoteName(name)} IN (${list.map(textOf).join(", ")})`
        equal.set(name, { sql, values: list.length })
      }
    }
  }
  visit(condition)
  const key = table.uniques.find((one) => one.every((name) => equal.has(folded(name))))
  if (key === undefined || key.length === 0) return new Map()
  const parts = key.flatMap((name) => equal.get(folded(name)) ?? [])
  const keys = parts.reduce((product, { values }) => product * values, 1)
  return new Map([[`(${parts.map(({ sql }) => sql).join(" AND ")})`, keys]])
}

/** A literal, but for NULL: what is emptied is not given anything. */
function isValue(value: Expr): boolean {
  if (value.type === "UnaryExpr") return value.op === "Negative" && isValue(value.expr)
  if (value.type === "ParenthesizedExpr") {
    return value.exprs.length === 1 && value.exprs.every(isValue)
  }
  return /^(?:String|Numeric|Blob)Literal$/.test(value.type)
}
