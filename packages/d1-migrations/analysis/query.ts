import type { AstNode, Expr, OneSelect, Select, SelectTable } from "sqlite3-parser"
import { parseStmt, traverse } from "sqlite3-parser"

import type { LiveTable } from "../schema/live-tables.ts"
import { isSameName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { columnOf } from "./parsed-script.ts"

/** A column of a table. `column` is its name when the statement runs, in lower case. */
export type Source = { table: LiveTable; column: string }

/** A column of a query's result. */
export type Output = {
  name: string
  /** The columns that the expression reads. */
  reads: Source[]
  /** `same`: the column's value, unchanged. `filled`: the same, but with another value instead of NULL. */
  value: "same" | "filled" | "other" | "null" | "literal"
}

/** A single SELECT of a query. A compound query has several. */
export type Arm = {
  outputs: Output[]
  /** The tables that it selects rows from. */
  tables: LiveTable[]
  /** Why it may omit or repeat rows of its table; undefined if it selects each row once. */
  limit: string | undefined
}

/** The meaning of a name in FROM. */
type Named = { table: LiveTable; columns: string[] } | { view: string } | undefined

export type Scope = {
  named: (name: string) => Named
  /** Returns whether an expression is always true, such as `1 = 1`. */
  holds: (expression: Expr) => boolean
  ctes?: Map<string, Arm[]>
}

type From = { alias: string; outputs: Output[]; tables: LiveTable[]; limit: string | undefined }

/** Traces the tables and columns that each SELECT of a query reads. */
export function armsOf(query: Select, outer: Scope): Arm[] {
  const ctes = new Map(outer.ctes)
  const scope = { ...outer, ctes }
  for (const { tblName, columns, select } of query.with?.ctes ?? []) {
    // A recursive CTE is not traced.
    const arms = query.with?.recursive ? [] : armsOf(select, scope)
    const columnsNamed = arms.map((arm) => {
      const outputs = arm.outputs.map((output, index) => {
        const name = columns?.[index]?.colName.text ?? output.name
        return { name: folded(name), reads: output.reads, value: output.value }
      })
      return { outputs, tables: arm.tables, limit: arm.limit }
    })
    ctes.set(folded(tblName.text), columnsNamed)
  }
  const isLimited = query.limit !== undefined && !isNegative(query.limit.expr)
  const compound = query.compounds?.find(({ operator }) => operator !== "UnionAll")
  const limit = isLimited ? "LIMIT" : compound?.operator.toUpperCase()
  const arms = [query.select, ...(query.compounds ?? []).map(({ select }) => select)]
  return arms.map((arm) => {
    const { outputs, tables, limit: armLimit } = armOf(arm, scope)
    return { outputs, tables, limit: limit ?? armLimit }
  })
}

function isNegative(expr: Expr): boolean {
  return expr.type === "UnaryExpr" && expr.op === "Negative"
}

function armOf(select: OneSelect, scope: Scope): Arm {
  if (select.type === "SelectValues") return { outputs: [], tables: [], limit: undefined }
  const { from, whereClause, distinctness, groupBy, having, columns } = select
  const joins = from?.joins ?? []
  const sources = [from?.select, ...joins.map(({ table }) => table)].flatMap((source) =>
    source === undefined ? [] : sourcesOf(source, scope),
  )
  const outputs = columns.flatMap((column): Output[] => {
    if (column.type === "StarResultColumn") return sources.flatMap((source) => source.outputs)
    if (column.type === "TableStarResultColumn") {
      return sources
        .filter(({ alias }) => isSameName(alias, column.table.text))
        .flatMap((source) => source.outputs)
    }
    const output = outputOf(column.expr, sources)
    const { alias } = column
    return [alias === undefined ? output : { ...output, name: folded(alias.name.text) }]
  })
  const isAggregate =
    groupBy === undefined && columns.some((column) => "expr" in column && aggregates(column.expr))
  const isFiltered = whereClause !== undefined && !scope.holds(whereClause)
  const limit = [
    joins.length > 0 && "a join",
    isFiltered && "its condition",
    distinctness === "Distinct" && "DISTINCT",
    (groupBy !== undefined || having !== undefined || isAggregate) && "groups",
  ].find((reason) => reason !== false)
  return {
    outputs,
    tables: sources.flatMap(({ tables }) => tables),
    limit: limit ?? sources.find((source) => source.limit !== undefined)?.limit,
  }
}

const aggregate =
  /^(?:count|sum|total|avg|group_concat|string_agg|json_group_array|json_group_object)$/i

function aggregates(expr: Expr): boolean {
  let isAggregate = false
  traverse(expr, {
    enter(node) {
      const isCall = node.type === "FunctionCallExpr" || node.type === "FunctionCallStarExpr"
      if (!isCall || !("name" in node)) return
      const { name } = node
      const isOver = "filterOver" in node && node.filterOver?.overClause !== undefined
      const few = "args" in node ? (node.args?.length ?? 0) : 0
      const isMost = few === 1 && /^(?:min|max)$/i.test(name.name)
      if (!isOver && (aggregate.test(name.name) || isMost)) isAggregate = true
    },
    nodes: {},
  })
  return isAggregate
}

function sourcesOf(table: SelectTable, scope: Scope): From[] {
  if (table.type === "SubSelectTable") {
    const inner = [table.from.select, ...(table.from.joins ?? []).map((join) => join.table)]
    return inner.flatMap((nested) => (nested === undefined ? [] : sourcesOf(nested, scope)))
  }
  const alias = table.alias?.name.text
  if (table.type === "SelectSelectTable") return [merged(alias ?? "", armsOf(table.select, scope))]
  const name = table.tblName.objName.text
  const cte = scope.ctes?.get(folded(name))
  if (cte !== undefined) return [merged(alias ?? name, cte)]
  const relation = scope.named(name)
  if (relation === undefined) {
    return [{ alias: alias ?? name, outputs: [], tables: [], limit: "a join" }]
  }
  if ("view" in relation) {
    const parsed = parseStmt(relation.view)
    const view =
      parsed.status === "ok" && parsed.root.type === "CreateViewStmt" ? parsed.root : undefined
    const arms = view === undefined ? [] : armsOf(view.select, { ...scope, ctes: new Map() })
    return [{ ...merged(alias ?? name, arms), limit: arms.find((arm) => arm.limit)?.limit }]
  }
  const outputs = relation.columns.map((column): Output => {
    return {
      name: folded(column),
      reads: [{ table: relation.table, column: folded(column) }],
      value: "same",
    }
  })
  return [{ alias: alias ?? name, outputs, tables: [relation.table], limit: undefined }]
}

/** Merges the SELECTs of a compound by the position of their columns, with the names of the first. */
function merged(alias: string, arms: Arm[]): From {
  const [first, ...otherArms] = arms
  const outputs = (first?.outputs ?? []).map((output, index): Output => {
    const stacked = [output, ...otherArms.flatMap((arm) => arm.outputs[index] ?? [])]
    const values = new Set(stacked.map(({ value }) => value))
    const value = values.size === 1 ? output.value : "other"
    return { name: output.name, reads: stacked.flatMap(({ reads }) => reads), value }
  })
  return {
    alias,
    outputs,
    tables: arms.flatMap(({ tables }) => tables),
    limit: arms.find(({ limit }) => limit !== undefined)?.limit,
  }
}

/** Describes how an expression computes its value from columns of `sources`. */
export function outputOf(expr: Expr, sources: From[]): Output {
  const plain = plainColumn(expr, sources)
  if (plain !== undefined) return plain
  if (isNull(expr)) return { name: "", reads: [], value: "null" }
  const reads: Source[] = []
  traverse(expr, {
    enter(node: AstNode) {
      const column =
        node.type === "Id" || node.type === "QualifiedExpr" ? plainColumn(node, sources) : undefined
      reads.push(...(column?.reads ?? []))
    },
    nodes: {},
  })
  const filled = filledColumn(expr, sources)
  if (filled !== undefined) return { name: "", reads: filled.reads, value: "filled" }
  return { name: "", reads, value: reads.length === 0 && isLiteral(expr) ? "literal" : "other" }
}

function isLiteral(expr: Expr): boolean {
  if (expr.type === "UnaryExpr") return isLiteral(expr.expr)
  return expr.type.endsWith("Literal")
}

function isNull(expr: Expr): boolean {
  return (
    expr.type === "NullLiteral" || (expr.type === "ParenthesizedExpr" && expr.exprs.every(isNull))
  )
}

function plainColumn(expr: Expr, sources: From[]): Output | undefined {
  if (expr.type === "ParenthesizedExpr" && expr.exprs.length === 1) {
    const [inner] = expr.exprs
    return inner && plainColumn(inner, sources)
  }
  if (expr.type === "CollateExpr") return plainColumn(expr.expr, sources)
  const name = columnOf(expr)
  if (name === undefined) return undefined
  const among =
    expr.type === "QualifiedExpr"
      ? sources.filter(({ alias }) => isSameName(alias, expr.table.text))
      : sources
  return among.flatMap(({ outputs }) => outputs).find((output) => output.name === name)
}

/** Returns the column `c` of `coalesce(c, …)`, `ifnull(c, …)`, or a CASE that replaces only NULL in `c`. */
function filledColumn(expr: Expr, sources: From[]): Output | undefined {
  if (expr.type === "ParenthesizedExpr" && expr.exprs.length === 1) {
    const [inner] = expr.exprs
    return inner && filledColumn(inner, sources)
  }
  if (expr.type === "FunctionCallExpr" && /^(?:coalesce|ifnull)$/i.test(expr.name.name)) {
    const [first] = expr.args ?? []
    return first && plainColumn(first, sources)
  }
  if (expr.type !== "CaseExpr" || expr.base !== undefined || expr.elseExpr === undefined) {
    return undefined
  }
  const elseColumn = plainColumn(expr.elseExpr, sources)
  const [source] = elseColumn?.reads ?? []
  const isSame = (operand: Expr) => {
    const [read] = plainColumn(operand, sources)?.reads ?? []
    return read !== undefined && read.table === source?.table && read.column === source.column
  }
  const isFilling = expr.whenThenPairs.every(
    ({ when }) => when.type === "IsNullExpr" && isSame(when.expr),
  )
  return isFilling ? elseColumn : undefined
}
