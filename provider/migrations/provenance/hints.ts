import type { Stmt } from "sqlite3-parser"

import { isSameName, type Table } from "../rehearsal/schema.ts"
import { cellsFor } from "./joint-cells.ts"
import { type Hinted, literalsIn, matching, nothingFound } from "./literals.ts"
import { columnOf, isNode, type Node, partsOf, textOf } from "./syntax.ts"

/** What the conditions of a script tell about the rows for which they hold, and do not hold. */
export type Hints = {
  /** By the column's name in lower case. */
  values: Map<string, Hinted>
  /** Cells with which all parts of a condition hold, or none does; SQL by column in lower case. */
  together: Record<string, string>[]
  /** Columns that are compared with each other. */
  equal: [Compared, Compared][]
}

/** A column, and the names of the tables among which it is one. */
export type Compared = { tables: string[]; column: string }

/** More of them make rows that say nothing new. */
const mostValues = 12

export function readHints(statements: (Stmt | undefined)[], schema: Table[]): Hints {
  const hints: Hints = { values: new Map(), equal: [], together: [] }
  const written: Hints["values"] = new Map()
  const referring = schema.flatMap(({ columns, foreignKeys }) =>
    foreignKeys.flatMap((key) =>
      key.columns.flatMap((name, index): [Compared, Compared][] => {
        const parent = key.parentColumns[index]?.toLowerCase()
        const column = columns.find((one) => isSameName(one.name, name))
        const literals = literalsOfSql(column?.defaultValue ?? "NULL")
        note(written, name.toLowerCase(), literals)
        const one = { tables: [], column: name.toLowerCase() }
        return parent === undefined ? [] : [[one, { tables: [], column: parent }]]
      }),
    ),
  )
  for (const statement of statements) {
    walk(statement, { hints, tables: tablesIn(statement) })
    noteWritten(statement, { written, hints, schema })
  }
  // What is compared with a column is compared with what the script writes there, too.
  for (const [one, other] of [...hints.equal, ...referring]) {
    for (const [from, to] of [
      [one.column, other.column],
      [other.column, one.column],
    ] as const) {
      const known = [written.get(from), hints.values.get(from)]
      for (const { texts, numbers } of known.flatMap((found) => found ?? [])) {
        note(hints.values, to, { texts, numbers })
      }
    }
  }
  return hints
}

function note(values: Hints["values"], name: string, found: Partial<Hinted>): void {
  const known = values.get(name) ?? nothingFound()
  values.set(name, known)
  const some = <Value>(former: Set<Value>, more: Set<Value> | undefined) =>
    new Set([...former, ...(more ?? [])].slice(0, mostValues))
  known.texts = some(known.texts, found.texts)
  known.numbers = some(known.numbers, found.numbers)
  known.blobs = some(known.blobs, found.blobs)
  known.members = some(known.members, found.members)
}

type Writing = { written: Hints["values"]; hints: Hints; schema: Table[] }

function literalsOfSql(sql: string): Partial<Hinted> {
  if (/^-?\d+$/.test(sql)) return { numbers: new Set([Number(sql)]) }
  return { texts: new Set(/^'(?:[^']|'')*'$/.test(sql) ? [sql.slice(1, -1)] : []) }
}

/** Literals of INSERT by column, defaults of new columns, and what those refer to. */
function noteWritten(node: Stmt | undefined, { written, hints, schema }: Writing): void {
  if (node?.type === "InsertStmt" && node.body.type === "SelectInsertBody") {
    const into = schema.find(({ name }) => isSameName(name, node.tblName.objName.text))
    const all = into?.columns.filter(({ generated }) => !generated).map(({ name }) => name) ?? []
    const columns = (node.columns?.map(({ text }) => text) ?? all).map((name) => name.toLowerCase())
    const { select } = node.body.select
    const rows = select.type === "SelectValues" ? select.values : []
    for (const { values } of rows.slice(0, mostValues)) {
      for (const [index, cell] of values.entries()) {
        note(written, columns[index] ?? "", literalsIn(cell))
      }
    }
  }
  if (node?.type !== "CreateTableStmt" || node.body.type === "AsSelectCreateTableBody") return
  for (const { colName, constraints } of node.body.columns) {
    const column = colName.text.toLowerCase()
    for (const { constraint } of constraints) {
      if (constraint.type === "DefaultColumnConstraint") {
        note(written, column, literalsIn(constraint))
      }
      if (constraint.type !== "ForeignKeyColumnConstraint") continue
      const { clause } = constraint
      const key = clause.columns?.[0]?.colName.text ?? "id"
      const parent = clause.tblName.text.toLowerCase()
      hints.equal.push([
        { tables: [], column },
        { tables: [parent], column: key.toLowerCase() },
      ])
    }
  }
}

type Reading = { hints: Hints; tables: Map<string, string> }

/** Tables by the names that a statement calls them. */
function tablesIn(part: unknown, found = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(part)) for (const one of part) tablesIn(one, found)
  if (!isNode(part)) return found
  const table = textOf(
    isNode(part["tblName"]) ? (part["tblName"]["objName"] ?? part["tblName"]) : undefined,
  )
  const alias = textOf(isNode(part["alias"]) ? part["alias"]["name"] : undefined)
  if (table !== undefined) found.set(table, table)
  if (table !== undefined && alias !== undefined) found.set(alias, table)
  for (const one of partsOf(part)) tablesIn(one, found)
  return found
}

/** What holds a comparison, or is computed from columns and literals. */
const comparing =
  /^(?:Binary|Like|InList|InSelect|Between|Case|FunctionCall|Cast|Collate|IsNull|NotNull)Expr$/
/** Operators: others join conditions, or compute a value. */
const compared = /^(?:Equals|NotEquals|Is|IsNot|Less|LessEquals|Greater|GreaterEquals)$/
const querying = /^(?:Select|SubqueryExpr|ExistsExpr)$/

function walk(part: unknown, reading: Reading): void {
  if (Array.isArray(part)) for (const one of part) walk(one, reading)
  if (!isNode(part)) return
  const { hints } = reading
  if (part.type === "BinaryExpr" && /^(?:And|Or)$/.test(String(part["op"]))) {
    hints.together.push(cellsFor(part, true), cellsFor(part, false))
  }
  if (part.type === "BinaryExpr") noteEqual(part["left"], part["right"], part["op"], reading)
  if (part.type === "InSelectExpr") {
    noteEqual(part["lhs"], firstResult(part["rhs"]), "Equals", reading)
  }
  if (part.type === "UsingJoinConstraint") {
    noteEqual(part["columns"], part["columns"], "Equals", reading)
  }
  const computes = part.type === "BinaryExpr" && !compared.test(String(part["op"]))
  if (comparing.test(part.type) && !computes) noteValues(part, hints)
  for (const one of partsOf(part)) walk(one, reading)
}

/** Each column of a comparison with each literal of it. */
function noteValues(node: Node, { values }: Hints): void {
  const names = new Set<string>()
  const found = nothingFound()
  const look = (part: unknown, like: boolean): void => {
    if (Array.isArray(part)) for (const one of part) look(one, like)
    if (!isNode(part) || querying.test(part.type)) return
    const name = columnOf(part)
    if (name !== undefined) names.add(name)
    const { bytes } = part
    if (part.type === "BlobLiteral" && bytes instanceof Uint8Array) {
      found.blobs.add(`x'${Buffer.from(bytes).toString("hex")}'`)
    }
    const value = part["value"]
    if (part.type === "NumericLiteral") found.numbers.add(Number(value))
    if (part.type === "StringLiteral" && typeof value === "string") {
      if (value.startsWith("$.")) found.members.add(value.slice(2))
      else for (const text of like ? matching(value) : [value]) found.texts.add(text)
    }
    const pattern = part.type === "LikeExpr"
    if (name === undefined) for (const one of partsOf(part)) look(one, like || pattern)
  }
  look(node, false)
  for (const name of names) note(values, name, found)
}

function noteEqual(left: unknown, right: unknown, operator: unknown, reading: Reading): void {
  if (typeof operator !== "string" || !/^(?:Equals|NotEquals|Is|IsNot)$/.test(operator)) return
  const { equal } = reading.hints
  for (const one of columnsIn(left, reading)) {
    for (const other of columnsIn(right, reading)) equal.push([one, other])
  }
}

/** Columns of an expression, as far as it is no query with conditions of its own. */
function columnsIn(part: unknown, reading: Reading): Compared[] {
  if (Array.isArray(part)) return part.flatMap((one) => columnsIn(one, reading))
  if (!isNode(part)) return []
  if (part.type === "SubqueryExpr") return columnsIn(firstResult(part["select"]), reading)
  if (querying.test(part.type)) return []
  const column = columnOf(part)
  if (column === undefined) return partsOf(part).flatMap((one) => columnsIn(one, reading))
  const table = reading.tables.get(textOf(part["table"]) ?? "")
  return [{ column, tables: table === undefined ? [...reading.tables.values()] : [table] }]
}

function firstResult(query: unknown): unknown {
  if (!isNode(query)) return undefined
  const select = isNode(query["select"]) ? query["select"] : undefined
  const columns = select?.["columns"]
  return Array.isArray(columns) ? columns[0] : undefined
}
