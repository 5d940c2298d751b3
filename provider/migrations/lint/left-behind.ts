import { isSameName } from "../rehearsal/schema.ts"
import { type CopiedRows, copiedRowsOf } from "./copied-rows.ts"
import { ignoredRows } from "./ignored-rows.ts"
import type { Found } from "./rule.ts"
import { isTotal } from "./total-condition.ts"
import type { Trial } from "./trial.ts"

/** Copies of a table that is dropped or emptied afterwards, which do not take all of its rows. */
export function findLeftBehind(trial: Trial): Found[] {
  return trial.steps.flatMap((step): Found[] => {
    const copy = copiedRowsOf(step)
    if (copy === undefined || !step.holdsRows(copy.source) || !goesLater(trial, copy)) return []
    const reason = filterOf(copy) ?? ignoredRows(copy)
    if (reason === undefined) return []
    const { what, at } = reason
    const message = `rows of ${copy.source} stay behind (${what}), and go when it is dropped`
    const rewrite = `Copy every row, with values that fit where the old ones do not: coalesce(…), or a DELETE FROM ${copy.source} before it, so that the loss is said in words.`
    const unless = `loses ${copy.source}`
    return [{ step, at, level: "error", message, rewrite, unless }]
  })
}

function goesLater({ steps }: Trial, { source, step }: CopiedRows): boolean {
  return steps.some(({ number, node }) => {
    if (number <= step.number) return false
    const gone =
      node?.type === "DropTableStmt" ||
      (node?.type === "DeleteStmt" && node.whereClause === undefined)
    return gone && isSameName(node.tblName.objName.text, source)
  })
}

const left = 8

/** What of a copy may leave out rows of its first table. */
function filterOf(copy: CopiedRows): { what: string; at: number } | undefined {
  const { select, whole } = copy
  const { whereClause, groupBy, distinctness, having, from } = select
  if (whereClause !== undefined && !isTotal(whereClause, copy)) {
    return { what: "WHERE", at: whereClause.span.offset }
  }
  if (groupBy !== undefined && groupBy.length > 0) {
    return { what: "GROUP BY", at: groupBy[0]?.span.offset ?? 0 }
  }
  if (having !== undefined) return { what: "HAVING", at: having.span.offset }
  if (distinctness === "Distinct") return { what: "DISTINCT", at: select.span.offset }
  if (whole.limit !== undefined) return { what: "LIMIT", at: whole.limit.span.offset }
  const narrowing = whole.compounds?.find(({ operator }) => operator !== "UnionAll")
  if (narrowing !== undefined) {
    return { what: narrowing.operator.toUpperCase(), at: narrowing.span.offset }
  }
  const join = from?.joins?.find(
    ({ operator }) =>
      operator.type !== "TypedJoinJoinOperator" || ((operator.joinType ?? 0) & left) === 0,
  )
  return join === undefined ? undefined : { what: "a join", at: join.span.offset }
}
