import { quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import type { Cell } from "./guarded-tables.ts"

/** Limit on the rows of a table that is compared without a key: SQLite sorts them all for that. */
export const exactRows = 100_000

/** The line to write, as SQL of parts that are SQL. */
export function declarationLine(begin: string, ...parts: string[]): string {
  return `(${literal(` (-- ${begin}:`)} || ${parts.join(" || ")} || ': REASON)' || char(10))`
}

/** The line to write with the number that was counted. */
export function boundedLine(begin: string, does: string, count: string): string {
  return declarationLine(begin, literal(`${does}, at most `), count, "' rows'")
}

/** A branch of CASE that reports what is counted beyond a bound. */
export function whenMore(count: string, bound: number, text: string, line: string): string {
  const most = Math.min(bound, Number.MAX_SAFE_INTEGER)
  return `WHEN ${count} > ${most} THEN ${count} || ${literal(text)} || ${line}`
}

export type Counted = {
  /** A query of a number. */
  count: string
  /** Follows the number in the report. */
  text: string
  /** A declaration without its number. */
  does: string
  bound: number
}

/** A report, empty unless more is counted than may be. */
export function reportOf(begin: string, { count, text, does, bound }: Counted): string {
  const line = boundedLine(begin, does, "n")
  return `(SELECT CASE ${whenMore("n", bound, text, line)} ELSE '' END FROM (SELECT ${count} AS n))`
}

/** A plus keeps SQLite from converting one value to the type of the other: '007' is not 7. */
function isSame({ was, is }: Pick<Cell, "was" | "is">): string {
  return `+b.${is} IS a.${was} COLLATE BINARY`
}

/** Asks for NULL last, as this runs for every value. */
export function isKept(cell: { was: string; is: string; isFull?: boolean }): string {
  return cell.isFull === true ? isSame(cell) : `(${isSame(cell)} OR a.${cell.was} IS NULL)`
}

/** Whether rows `a` and `b` have the same values, of key columns in any case. */
export function isRow(key: Cell[], cells: { was: string; is: string; isFull?: boolean }[]): string {
  // The first comparison has no plus, so that the index of the table can be used.
  const joins = key.flatMap((cell) => [`b.${cell.is} = a.${cell.was}`, isSame(cell)])
  const values = cells.filter(({ was }) => !key.some((cell) => cell.was === was))
  return balanced([...joins, ...values.map(isKept)], "AND")
}

/** Rows that were in tables and have to be in others, by columns in the same order. */
export type Rows = {
  before: { from: string; columns: string[] }[]
  after: { table: string; columns: string[] }[]
}

export function isRowIn(from: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM ${from} AS b WHERE ${condition})`
}

function countAll(sources: string[]): string {
  return sources.map((from) => `(SELECT count(*) FROM ${from})`).join(" + ") || "0"
}

/** Counts how many rows fewer there are. */
export function countFewer({ before, after }: Rows): string {
  const now = countAll(after.map(({ table }) => quoteName(table)))
  return `max(0, ${countAll(before.map(({ from }) => from))} - (${now}))`
}

/** Columns of a result of D1, less the count. */
const mostTogether = 99

/** Counts rows that are nowhere whole, of equal rows those that are too few: exactly, and as slowly as that takes. */
export function countMissing(rows: Rows): string {
  const count = rows.before[0]?.columns.length ?? 0
  if (count === 0) return countFewer(rows)
  // Of more columns than a result may have, part after part.
  if (count > mostTogether) {
    const [first, last] = [slice(rows, 0, mostTogether), slice(rows, -mostTogether)]
    return `max(${countMissing(first)}, ${countMissing(last)})`
  }
  return `(SELECT coalesce(sum(missing), 0) FROM (${grouped(rows)} HAVING sum(one) > 0))`
}

/** Counts copies of original rows beyond their former number; rows with nothing but NULL are not counted. */
export function countRepeated(rows: Rows): string {
  const columns = rows.before[0]?.columns ?? []
  if (columns.length === 0) return "0"
  const compared = slice(rows, 0, mostTogether)
  const filled = columns.slice(0, mostTogether).map((_, at) => `v${at} IS NOT NULL`)
  const [before, now] = [
    rows.before.map(({ from }) => from),
    rows.after.map(({ table }) => quoteName(table)),
  ]
  return `CASE WHEN ${countAll(now)} <= ${countAll(before)} THEN 0
ELSE (SELECT coalesce(sum(-missing), 0) FROM (${grouped(compared)} HAVING max(one) = 1 AND sum(one) < 0 AND ${balanced(filled, "OR")})) END`
}

function slice({ before, after }: Rows, ...range: [number, number?]): Rows {
  const part = <Source extends { columns: string[] }>(source: Source) =>
    Object.assign({}, source, { columns: source.columns.slice(...range) })
  return { before: before.map(part), after: after.map(part) }
}

function grouped({ before, after }: Rows): string {
  const list = (values: string[]) => values.map((value, at) => `${value} AS v${at}`).join(", ")
  const selects = [
    ...before.map(({ from, columns }) => `SELECT ${list(columns)}, 1 AS one FROM ${from}`),
    ...after.map(({ table, columns }) => {
      const values = columns.map((name) => `+b.${name}`)
      return `SELECT ${list(values)}, -1 FROM ${quoteName(table)} AS b`
    }),
  ]
  // A compound of D1 has five parts at most, so each further one has the others as a subquery.
  const union = selects.reduce((left, right) => `SELECT * FROM (${left}) UNION ALL ${right}`)
  const whole = before[0]?.columns.map((_, at) => `v${at} COLLATE BINARY`).join(", ")
  return `SELECT sum(one) AS missing FROM (${union})
GROUP BY ${whole}`
}

/** Counts rows of one table whose values the row with their number has not: `rowid` of the snapshot, or `n`. */
export function countByNumber({ before, after }: Rows, number: string): string {
  const [[source], [target]] = [before, after]
  const cells = (source?.columns ?? []).map((column, at) => {
    return { was: column, is: target?.columns[at] ?? "" }
  })
  const matches = balanced([`b.rowid = a.${number}`, ...cells.map(isKept)], "AND")
  return `(SELECT count(*) FROM ${source?.from} AS a LEFT JOIN ${quoteName(target?.table ?? "")} AS b ON ${matches} WHERE b.rowid IS NULL)`
}
