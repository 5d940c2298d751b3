import { type AstNode, type Select, type Stmt, traverse } from "sqlite3-parser"

import { isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { type Hinted, literalsIn, matching, nothingFound } from "./literals.ts"
import { columnOf, comparison, tableIn } from "./syntax.ts"

/** What the conditions of a script tell about the rows for which they hold, and do not hold. */
export type Hints = {
  /** By the column's name in lower case. */
  values: Map<string, Hinted>
  /** Columns that are compared with each other. */
  equal: [Compared, Compared][]
  /** Of columns in lower case that are read as JSON or as dates: a condition on such a one, called `NAME`. */
  read: Map<string, string>
}

/** A column, and the names of the tables among which it is one. */
export type Compared = { tables: string[]; column: string }

/** More of them make rows that say nothing new. */
const mostValues = 12

/** @param left the tables that the script leaves, as far as they are known */
export function readHints(statements: Stmt[], schema: Table[], left: Table[]): Hints {
  const hints: Hints = { values: new Map(), equal: [], read: new Map() }
  const written: Hints["values"] = new Map()
  for (const { name, columns, foreignKeys } of [...schema, ...left]) {
    for (const column of columns) {
      note(written, folded(column.name), literalsOfSql(column.defaultValue))
    }
    for (const { parent, columns: from, parentColumns } of foreignKeys) {
      for (const [index, column] of from.entries()) {
        const key = parentColumns[index] ?? ""
        hints.equal.push([
          { tables: [name], column: folded(column) },
          { tables: [parent], column: folded(key) },
        ])
      }
    }
  }
  for (const statement of statements) {
    noteCompared(statement, hints)
    noteWritten(statement, written, [...schema, ...left])
  }
  // What is compared with a column is compared with what the script writes there, too.
  for (const [one, other] of hints.equal) {
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

function literalsOfSql(sql: string): Partial<Hinted> {
  if (/^-?\d+$/.test(sql)) return { numbers: new Set([Number(sql)]) }
  return { texts: new Set(/^'(?:[^']|'')*'$/.test(sql) ? [sql.slice(1, -1)] : []) }
}

/** Literals of INSERT by column. */
function noteWritten(node: Stmt, written: Hints["values"], schema: Table[]): void {
  if (node.type !== "InsertStmt" || node.body.type !== "SelectInsertBody") return
  const into = schema.find(({ name }) => isSameName(name, node.tblName.objName.text))
  const all = into?.columns.filter(({ generated }) => !generated).map(({ name }) => name) ?? []
  const columns = node.columns?.map(({ text }) => text) ?? all
  const { select } = node.body.select
  const rows = select.type === "SelectValues" ? select.values : []
  for (const { values } of rows.slice(0, mostValues)) {
    for (const [index, cell] of values.entries()) {
      note(written, folded(columns[index] ?? ""), literalsIn([cell]))
    }
  }
}

/** Tables by the names that a statement calls them. */
function tablesIn(statement: Stmt): Map<string, string> {
  const found = new Map<string, string>()
  traverse(statement, {
    enter(part) {
      const name = tableIn(part)?.text
      if (name === undefined) return
      const table = folded(name)
      found.set(table, table)
      const isAliased = part.type === "TableSelectTable" || part.type === "TableCallSelectTable"
      if (isAliased && part.alias) found.set(folded(part.alias.name.text), table)
    },
  })
  return found
}

/** What holds a comparison, or is computed from columns and literals. */
const comparing =
  /^(?:Binary|Like|InList|InSelect|Between|Case|FunctionCall|Cast|Collate|IsNull|NotNull)Expr$/
const equating = /^(?:Equals|NotEquals|Is|IsNot)$/
const querying = /^(?:Select|SubqueryExpr|ExistsExpr)$/

function noteCompared(statement: Stmt, hints: Hints): void {
  const tables = tablesIn(statement)
  const noteEqual = (left: Part[], right: Part[]) => {
    for (const one of columnsIn(left, tables)) {
      for (const other of columnsIn(right, tables)) hints.equal.push([one, other])
    }
  }
  traverse(statement, {
    enter(part) {
      for (const [condition, read] of [
        ["json_valid(NAME) AND NAME LIKE '{%'", jsonIn(part)],
        ["typeof(NAME) <> 'text' OR julianday(NAME) IS NOT NULL", datesIn(part)],
      ] as const) {
        for (const { column } of columnsIn(read, tables)) hints.read.set(column, condition)
      }
      if (part.type === "BinaryExpr" && equating.test(part.op)) {
        noteEqual([part.left], [part.right])
      }
      if (part.type === "InSelectExpr") noteEqual([part.lhs], [firstResult(part.rhs)])
      if (part.type === "UsingJoinConstraint") noteEqual([...part.columns], [...part.columns])
      const computes = part.type === "BinaryExpr" && !comparison.test(part.op)
      if (comparing.test(part.type) && !computes) noteValues(part, hints)
    },
  })
}

/** What SQLite reads as JSON, and fails on where it is none. */
function jsonIn(part: AstNode): Part[] {
  if (part.type === "BinaryExpr") return part.op.startsWith("Arrow") ? [part.left] : []
  const isCall = part.type === "FunctionCallExpr" || part.type === "TableCallSelectTable"
  if (!isCall) return []
  const name = part.type === "FunctionCallExpr" ? part.name.name : part.tblName.objName.text
  const reads = /^jsonb?_(?!valid|object|array$|quote|group)|^jsonb?$/i.test(name)
  const [first] = part.args ?? []
  return reads ? [first] : []
}

/** What SQLite reads as a date, and makes NULL of where it is none. */
function datesIn(part: AstNode): Part[] {
  if (part.type !== "FunctionCallExpr") return []
  const [first, second] = part.args ?? []
  const { name } = part.name
  if (/^strftime$/i.test(name)) return [second]
  return /^(?:date|time|datetime|julianday|unixepoch)$/i.test(name) ? [first] : []
}

/** Each column of a comparison with each literal of it. */
function noteValues(node: AstNode, { values }: Hints): void {
  const names = new Set<string>()
  const found = nothingFound()
  let patterns = 0
  traverse(node, {
    enter(part) {
      if (part.type === "LikeExpr") patterns += 1
      const name = columnOf(part)
      if (name !== undefined) names.add(name)
      return name !== undefined || querying.test(part.type) ? "skip" : "continue"
    },
    nodes: {
      BlobLiteral({ bytes }) {
        found.blobs.add(`x'${Buffer.from(bytes).toString("hex")}'`)
      },
      NumericLiteral({ value }) {
        found.numbers.add(Number(value))
      },
      StringLiteral({ value }) {
        if (value.startsWith("$.")) found.members.add(value.slice(2))
        else for (const text of patterns > 0 ? matching(value) : [value]) found.texts.add(text)
      },
    },
    leave({ type }) {
      if (type === "LikeExpr") patterns -= 1
    },
  })
  for (const name of names) note(values, name, found)
}

type Part = AstNode | undefined

/** Columns of expressions, as far as those are no queries with conditions of their own. */
function columnsIn(parts: Part[], tables: Map<string, string>): Compared[] {
  const found: Compared[] = []
  for (const part of parts) {
    if (part === undefined) continue
    traverse(part, {
      enter(node) {
        if (node.type === "SubqueryExpr") {
          found.push(...columnsIn([firstResult(node.select)], tables))
        }
        const column = columnOf(node)
        if (column !== undefined) {
          const name = node.type === "QualifiedExpr" ? folded(node.table.text) : ""
          const table = tables.get(name)
          found.push({ column, tables: table === undefined ? [...tables.values()] : [table] })
        }
        return column !== undefined || querying.test(node.type) ? "skip" : "continue"
      },
    })
  }
  return found
}

function firstResult({ select }: Select): Part {
  return select.type === "SelectFrom" ? select.columns[0] : undefined
}
