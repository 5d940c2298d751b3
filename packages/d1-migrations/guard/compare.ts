import { declaredName } from "../files/declarations.ts"
import { quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"

/** Rows up to which tables are compared without a key: SQLite sorts them all for that. */
export const exactRows = 100_000

/** What is declared of a column, taken together. */
export type Allowed = {
  changes: boolean
  /** How many of its values may become NULL, and how many may go or be others. */
  empties: number
  loses: number
}

/** An original column, in the snapshot (`was`) and in the compared table (`is`). */
export type Cell = Allowed & {
  name: string
  was: string
  is: string
  /** Whether it was NULL in no row. */
  isFull: boolean
}

export function isStrict({ changes, empties, loses }: Allowed): boolean {
  return !changes && empties === 0 && loses === 0
}

/** How the current row is found for an original one: by key columns, or by rowid. */
export type Pairing =
  /** `isWhole`: a whole number in both, which no type converts. */
  { by: [was: string, is: string][]; isWhole: boolean } | { by: "number" }

/** Original rows, and the one table that has to have them. */
export type Comparison = {
  table: string
  /** Holds what the table held. */
  snapshot: string
  now: string
  cells: Cell[]
  pairing: Pairing
  /** Rows that may go. */
  bound: number
  /** How a declaration begins. */
  begin: string
}

/** D1 takes 100 columns in a result, and each cell needs two. */
const mostCells = 45

/**
 * An expression: what has to be declared and is not, a line for each; empty where each original row has
 * its own with the same values, or a value where there was none. It is one pass over both where all is well.
 */
export function pairedDifferences(comparison: Comparison): string {
  const { snapshot, now, pairing } = comparison
  // What finds a row is the same.
  const keys = pairing.by === "number" ? [] : pairing.by.map(([column]) => column)
  const cells = comparison.cells.filter(({ was }) => !keys.includes(was))
  const join = joinOf(comparison)
  const strict = cells.filter(isStrict)
  const matches = balanced([join, ...strict.map(isKept)], "AND")
  const chunks = Array.from({ length: Math.max(Math.ceil(cells.length / mostCells), 1) }, (_, at) =>
    cells.slice(at * mostCells, (at + 1) * mostCells),
  )
  const details = chunks.map((chunk, at) => detailOf(comparison, join, chunk, at === 0))
  const report = balanced(details, "||")
  // What is declared is counted in any case.
  if (strict.length < cells.length || comparison.bound > 0) return report
  return `CASE (SELECT count(*) FROM ${snapshot}) WHEN (SELECT count(*) FROM ${snapshot} AS a CROSS JOIN ${quoteName(now)} AS b WHERE ${matches}) THEN '' ELSE ${report} END`
}

function joinOf({ pairing }: Comparison): string {
  if (pairing.by === "number") return "b.rowid = a.n"
  // Without a plus first, so that the index of the table can be used.
  const parts = pairing.by.flatMap(([before, is]) => [
    `b.${is} = a.${before}`,
    ...(pairing.isWhole ? [] : [isSame({ was: before, is })]),
  ])
  return balanced(parts, "AND")
}

/** A plus keeps SQLite from converting one value to the type of the other: '007' is not 7. */
function isSame({ was, is }: Pick<Cell, "was" | "is">): string {
  return `+b.${is} IS a.${was} COLLATE BINARY`
}

/** Asks for NULL last, as this runs for every value. */
export function isKept(cell: { was: string; is: string; isFull?: boolean }): string {
  return cell.isFull === true ? isSame(cell) : `(${isSame(cell)} OR a.${cell.was} IS NULL)`
}

function detailOf(comparison: Comparison, join: string, cells: Cell[], isFirst: boolean): string {
  const { table, snapshot, now, pairing, bound, begin } = comparison
  const key = pairing.by === "number" ? "rowid" : (pairing.by[0]?.[1] ?? "rowid")
  const isPaired = `b.${key} IS NOT NULL`
  const counts = cells.flatMap((cell, at) => {
    const differs = `${isPaired} AND NOT ${isKept(cell)}`
    const blank = cell.empties > 0 && !cell.changes ? "" : ` OR trim(b.${cell.is}) = ''`
    return [
      `count(*) FILTER (WHERE ${differs}) AS x${at}`,
      `count(*) FILTER (WHERE ${differs} AND (b.${cell.is} IS NULL${blank})) AS y${at}`,
    ]
  })
  const missingCount = `count(*) FILTER (WHERE NOT (${isPaired})) AS gone`
  const name = declaredName(table)
  const lines = cells.map((cell, at) => {
    const [x, y] = [`x${at}`, `y${at}`]
    const column = declaredName(table, cell.name)
    const atMost = (does: string, count: string) =>
      declarationLine(begin, [literal(`${does} ${column}, at most `), count, "' rows'"])
    const changedText = literal(` of the values of ${column} in ${now} are others than before`)
    const changes = declarationLine(begin, [literal(`changes ${column}`)])
    const advice = `CASE ${y} WHEN 0 THEN ${changes} ELSE ${atMost("loses", x)} END`
    const emptied = cell.changes
      ? `${y} || ${literal(` of the values of ${column} are gone, and only declared to change`)} || ${atMost("loses", y)}`
      : `${y} || ${literal(` of the values of ${column} are emptied`)} || ${atMost("empties", y)}`
    const changed = `WHEN ${x} - ${y} * ${Number(cell.empties > 0)} > ${most(cell.loses)} THEN ${x} || ${changedText} || ${advice}`
    const isBounded = cell.changes || cell.empties > 0
    return `CASE ${cell.changes ? "" : changed} ${isBounded ? `WHEN ${y} > ${most(cell.empties + cell.loses)} THEN ${emptied}` : ""} ELSE '' END`
  })
  const rows = `CASE WHEN gone > ${most(bound)} THEN gone || ${literal(` of the rows of ${name} are not in ${now} any more`)} || ${declarationLine(begin, [literal(`loses ${name}, at most `), "gone", "' rows'"])} ELSE '' END`
  const from = `SELECT ${[...(isFirst ? [missingCount] : []), ...counts].join(", ")} FROM ${snapshot} AS a LEFT JOIN ${quoteName(now)} AS b ON ${join}`
  return `(SELECT ${balanced([...(isFirst ? [rows] : []), ...lines], "||")} FROM (${from}))`
}

function most(bound: number): number {
  return Math.min(bound, Number.MAX_SAFE_INTEGER)
}

/** The line to write, as SQL of parts that are SQL. */
export function declarationLine(begin: string, parts: string[]): string {
  return `(${literal(` (-- ${begin}:`)} || ${parts.join(" || ")} || ': REASON)' || char(10))`
}

/** A line where more are counted than may be; `does` is what it declares, without a number. */
export function lineFor(
  begin: string,
  does: string,
  bound: number,
  [count, text]: [count: string, what: string],
): string {
  const line = declarationLine(begin, [literal(`${does}, at most `), "n", "' rows'"])
  return `(SELECT CASE WHEN n > ${most(bound)} THEN n || ${literal(text)} || ${line} ELSE '' END FROM (SELECT ${count} AS n))`
}

/** A table that may have the original rows, each of them whole. */
export type Target = {
  table: string
  /** Columns of the snapshot, and the table's columns in quotes. */
  columns: Map<string, string>
}

/** An expression: how many original rows are in none of the tables with these columns. */
export function countUnfound(
  snapshot: string,
  columns: string[],
  key: string[],
  targets: Target[],
): string {
  const nowhere = targets.map((target) => {
    const is = (column: string) => target.columns.get(column) ?? '""'
    const join = key.map((column) => `b.${is(column)} = a.${column}`)
    const cells = [...new Set([...key, ...columns])].map((column) =>
      (key.includes(column) ? isSame : isKept)({ was: column, is: is(column) }),
    )
    const from = target.table === "" ? "(SELECT 1)" : quoteName(target.table)
    return `NOT EXISTS (SELECT 1 FROM ${from} AS b WHERE ${balanced([...join, ...cells], "AND")})`
  })
  return `(SELECT count(*) FROM ${snapshot} AS a WHERE ${balanced(nowhere, "AND")})`
}

/** Rows of tables without a key: of equal ones each has to be there as often as before. */
export type Unkeyed = {
  /** SELECTs of what was there, with the columns under these names. */
  snapshots: string[]
  columns: string[]
  targets: Target[]
  rows: number
  /** Whether the snapshot has the rows in their order, and their numbers as `n`. */
  isOrdered: boolean
  isNumbered: boolean
}

/** An expression: how many rows are nowhere whole, of equal rows how many are too few. */
export function countMissing({
  snapshots,
  columns,
  targets,
  rows,
  isOrdered,
  isNumbered,
}: Unkeyed): string {
  const [target] = targets
  const [snapshot = "(SELECT 1)"] = snapshots
  if (columns.length === 0 || target === undefined) {
    const now = targets.map(({ table }) => ` - (SELECT count(*) FROM ${quoteName(table)})`)
    return `max(0, (SELECT count(*) FROM ${snapshot})${now.join("")})`
  }
  const isSingle = targets.length === 1 && snapshots.length === 1
  const numbers = isSingle ? [...(isOrdered ? ["rowid"] : []), ...(isNumbered ? ["n"] : [])] : []
  const byNumber = numbers.map((number) => {
    const cells = columns.map((column) =>
      isKept({ was: column, is: target.columns.get(column) ?? '""' }),
    )
    const matches = balanced([`b.rowid = a.${number}`, ...cells], "AND")
    return `(SELECT count(*) FROM ${snapshot} AS a LEFT JOIN ${quoteName(target.table)} AS b ON ${matches} WHERE b.rowid IS NULL)`
  })
  const exact =
    rows <= exactRows || byNumber.length === 0
      ? unequal(snapshots, columns, targets)
      : `min(${byNumber.join(", ")}, ${Number.MAX_SAFE_INTEGER})`
  return byNumber.length === 0
    ? exact
    : `CASE ${byNumber.map((count) => `WHEN ${count} = 0 THEN 0`).join("\n")} ELSE ${exact} END`
}

/** A result of D1 has no more columns, and one of them counts. */
const mostTogether = 99

/** Exactly, and as slowly as that takes. Of more columns than a result may have, part after part. */
function unequal(snapshots: string[], columns: string[], targets: Target[]): string {
  if (columns.length > mostTogether) {
    const [first, last] = [columns.slice(0, mostTogether), columns.slice(-mostTogether)]
    return `max(${unequal(snapshots, first, targets)}, ${unequal(snapshots, last, targets)})`
  }
  return `(SELECT coalesce(sum(missing), 0) FROM (${grouped(snapshots, columns, targets)} HAVING sum(one) > 0))`
}

/** Counts copies of original rows beyond their former number; rows of NULL alone are not counted. */
export function countRepeated({
  snapshots,
  columns,
  targets: [target],
}: Pick<Unkeyed, "snapshots" | "columns" | "targets">): string {
  if (target === undefined || columns.length === 0) return "0"
  const comparable = columns.slice(0, mostTogether)
  const filled = comparable.map((name) => `${name} IS NOT NULL`)
  const countBefore = snapshots.map((snapshot) => `(SELECT count(*) FROM ${snapshot})`).join(" + ")
  return `CASE WHEN (SELECT count(*) FROM ${quoteName(target.table)}) <= ${countBefore} THEN 0
ELSE (SELECT coalesce(sum(-missing), 0) FROM (${grouped(snapshots, comparable, [target])} HAVING max(one) = 1 AND sum(one) < 0 AND ${balanced(filled, "OR")})) END`
}

function grouped(snapshots: string[], columns: string[], targets: Target[]): string {
  const list = columns.join(", ")
  const whole = columns.map((name) => `${name} COLLATE BINARY`).join(", ")
  const selectsBefore = snapshots.map((snapshot) => `SELECT ${list}, 1 AS one FROM ${snapshot}`)
  const now = targets.map(({ table, columns: names }) => {
    const values = columns.map((name) => `+b.${names.get(name)}`).join(", ")
    return `SELECT ${values}, -1 FROM ${quoteName(table)} AS b`
  })
  // A compound of D1 has five parts at most, so each further one stands in another.
  const union = [...selectsBefore, ...now].reduce(
    (left, right) => `SELECT * FROM (${left}) UNION ALL ${right}`,
  )
  return `SELECT sum(one) AS missing FROM (${union})
GROUP BY ${whole}`
}
