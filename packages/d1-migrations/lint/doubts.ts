import { type AstNode, traverse } from "sqlite3-parser"

import { usesNumbers } from "../guard/hidden-rows.ts"
import { mayRepeat } from "../provenance/conditions.ts"
import { comparison, tableIn } from "../provenance/syntax.ts"
import type { Step, Trial } from "../provenance/trial.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"

/**
 * Whether more decides about the rows of a file than its made-up ones can show: functions, views,
 * triggers, conflicts, joins, types, conditions of several parts. Then it is only said that those
 * lost nothing.
 */
export function isDoubtful(trial: Trial): boolean {
  const { steps, before, onNothing, losses, after } = trial
  if (before.length === 0) return false
  if (losses.some((loss) => loss.kind !== "part" && loss.apart !== undefined)) return true
  const effects = onNothing.flatMap(({ effect }) => effect ?? [])
  const taking = steps.some((step, index) => {
    const { drops = [], writes, follows = [], isIndirect } = onNothing[index]?.effect ?? {}
    const isNew = writes === undefined || (writes.by === "insert" && !isMet(step))
    return dropsColumn(step) || drops.length + follows.length > 0 || !isNew || isIndirect === true
  })
  const former = (name: string) => findTable(before, name)
  const isGone = (name = "") =>
    effects.some(({ drops }) => drops.some((one) => isSameName(one, name)))
  const repeating = steps.filter(({ node }) => mayRepeat(node, former))
  if (!repeating.every(({ node }) => isGone(node && tableIn(node)?.text))) return true
  if (!taking) return false
  const named = before.filter(({ name }) => effects.some(({ names }) => names.includes(name)))
  return (
    effects.some(({ isIndirect, follows }) => isIndirect || follows.length > 0) ||
    named.some(({ virtual, columns }) => virtual || columns.length > widest) ||
    named.some((table) => usesNumbers(trial.objects, table)) ||
    before.some(({ columns }) => columns.some(({ name }) => /row(?:_?id)?$/i.test(name))) ||
    changesTypes(before, after) ||
    mixesTables(trial.places) ||
    // Rows like those on which it fails may let it through.
    trial.troubles.some(({ statement }) => {
      const type = steps[statement - 1]?.node?.type
      return type === "UpdateStmt" || type === "DeleteStmt"
    }) ||
    steps.some((step) => isOfRows(step) && !isPlain(step)) ||
    steps.some(
      ({ node, sql }) => node?.type === "CreateTableStmt" && /\bon\s+conflict\b/i.test(sql),
    )
  )
}

/** Of wider tables not each column gets all of its values. */
const widest = 30

function dropsColumn({ node }: Step): boolean {
  return node?.type === "AlterTableStmt" && node.body.type === "DropColumnAlterTableBody"
}

function isMet({ sql }: Step): boolean {
  return /\b(?:replace|conflict)\b/i.test(sql)
}

/** Whether it writes rows, and does not only add some in literals. */
function isOfRows({ node }: Step): boolean {
  if (node?.type === "CreateTableStmt") return node.body.type === "AsSelectCreateTableBody"
  return /^(?:Insert|Update|Delete)Stmt$/.test(node?.type ?? "")
}

/** A column that gets another type may convert what it holds. */
function changesTypes(before: Table[], after: Table[]): boolean {
  return before.some((table) =>
    table.columns.some(({ name, type }) => {
      const now = findTable(after, table.name)
      const column = now?.columns.find((one) => isSameName(one.name, name))
      return column !== undefined && (column.type !== type || now?.strict !== table.strict)
    }),
  )
}

/** Whether values of two tables come into one column of a third: nothing may say whose they were. */
function mixesTables(places: Trial["places"]): boolean {
  const moved = places.filter(({ isHome }) => isHome !== true)
  const into = Map.groupBy(
    moved.flatMap(({ from, to, columns }) =>
      columns.map(([, { column }]) => ({ from, to, column })),
    ),
    ({ to, column }) => JSON.stringify([to, column]),
  )
  return [...into.values()].some((some) => new Set(some.map(({ from }) => from)).size > 1)
}

const plainParts =
  /^(?:Id|QualifiedExpr|ExprResultColumn|StarResultColumn|TableStarResultColumn|\w+Literal|IsNullExpr|NotNullExpr|UnaryExpr|ParenthesizedExpr)$/

const deciding = /^(?:Limit|Upsert|JoinedSelectTable|Window\w*|With|CompoundSelect)$/

/** Whether it takes columns as they are, by one condition at most. */
export function isPlain({ node }: Step): boolean {
  if (node === undefined) return false
  if (node.type === "InsertStmt" && node.orConflict !== undefined) return false
  if (node.type === "UpdateStmt" && node.orConflict !== undefined) return false
  let comparisons = 0
  let sources = 0
  let isOther = false
  traverse(node, {
    enter(part: AstNode) {
      if (part.type === "TableSelectTable") sources += 1
      const isTest = part.type === "BinaryExpr" && comparison.test(part.op)
      const isNull = part.type === "IsNullExpr" || part.type === "NotNullExpr"
      if (isTest || isNull) comparisons += 1
      else isOther ||= part.type.endsWith("Expr") && !plainParts.test(part.type)
      isOther ||= deciding.test(part.type)
      isOther ||= part.type === "ParenthesizedExpr" && part.exprs.length > 1
      isOther ||= "groupBy" in part && part.groupBy !== undefined
      isOther ||= "distinctness" in part && part.distinctness !== undefined
    },
  })
  return !isOther && comparisons <= 1 && sources <= 1
}
