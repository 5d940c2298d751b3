import { quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import type { Cell } from "./guarded-tables.ts"

/** Maximum number of rows to compare exactly without a key: SQLite must sort all of them. */
export const exactRows = 100_000

/** Returns SQL for the declaration to write. `parts` are SQL expressions. */
export function declarationLine(begin: string, ...parts: string[]): string {
  return `(${literal(` (-- ${begin}:`)} || ${parts.join(" || ")} || ': REASON)' || char(10))`
}

/** Returns SQL for the declaration to write, with the counted number. */
export function boundedLine(begin: string, does: string, count: string): string {
  return declarationLine(begin, literal(`${does}, at most `), count, "' rows'")
}

/** Returns a CASE branch that reports a count above a bound. */
export function whenMore(count: string, bound: number, text: string, line: string): string {
  const most = Math.min(bound, Number.MAX_SAFE_INTEGER)
  return `WHEN ${count} > ${most} THEN ${count} || ${literal(text)} || ${line}`
}

export type Counted = {
  /** An SQL expression with a number. */
  count: string
  /** Follows the number in the report. */
  text: string
  /** A declaration without its number. */
  does: string
  bound: number
}

/** Returns SQL for a report, which is empty unless the count exceeds the bound. */
export function reportOf(begin: string, { count, text, does, bound }: Counted): string {
  const line = boundedLine(begin, does, "n")
  return `(SELECT CASE ${whenMore("n", bound, text, line)} ELSE '' END FROM (SELECT ${count} AS n))`
}

/** Compares two values. The plus keeps SQLite from converting one to the type of the other: '007' is not 7. */
function isSame({ was, is }: Pick<Cell, "was" | "is">): string {
  return `+b.${is} IS a.${was} COLLATE BINARY`
}

/** Returns a condition that a value is the same or was NULL. Tests NULL last, because this runs for every value. */
export function isKept(cell: { was: string; is: string; isFull?: boolean }): string {
  return cell.isFull === true ? isSame(cell) : `(${isSame(cell)} OR a.${cell.was} IS NULL)`
}

/** Returns a condition that rows `a` and `b` have the same values. Key columns must be equal even if NULL before. */
export function isRow(key: Cell[], cells: { was: string; is: string; isFull?: boolean }[]): string {
  // The first comparison has no plus, so that the index of the table can be used.
  const joins = key.flatMap((cell) => [`b.${cell.is} = a.${cell.was}`, isSame(cell)])
  const values = cells.filter(({ was }) => !key.some((cell) => cell.was === was))
  return balanced([...joins, ...values.map(isKept)], "AND")
}

/** Rows in tables before, and the tables that must have them afterwards. Their columns have the same order. */
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

/** Returns SQL for the number of rows by which the tables have shrunk. */
export function countFewer({ before, after }: Rows): string {
  const now = countAll(after.map(({ table }) => quoteName(table)))
  return `max(0, ${countAll(before.map(({ from }) => from))} - (${now}))`
}

/** D1's limit for the columns of a result, minus one for the count. */
const mostTogether = 99

/** Counts rows that are not found as a whole, including missing copies of equal rows. Exact but slow. */
export function countMissing(rows: Rows): string {
  const count = rows.before[0]?.columns.length ?? 0
  if (count === 0) return countFewer(rows)
  // A result may not have so many columns, so compare the first and the last separately.
  if (count > mostTogether) {
    const [first, last] = [slice(rows, 0, mostTogether), slice(rows, -mostTogether)]
    return `max(${countMissing(first)}, ${countMissing(last)})`
  }
  return `(SELECT coalesce(sum(missing), 0) FROM (${grouped(rows)} HAVING sum(one) > 0))`
}

/** Counts copies of original rows beyond their original number. Ignores rows with only NULL. */
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
  // D1 limits a compound SELECT to five parts, so each further part gets the others as a subquery.
  const union = selects.reduce((left, right) => `SELECT * FROM (${left}) UNION ALL ${right}`)
  const whole = before[0]?.columns.map((_, at) => `v${at} COLLATE BINARY`).join(", ")
  return `SELECT sum(one) AS missing FROM (${union})
GROUP BY ${whole}`
}

/** Counts rows whose values differ from the row with their number, which is `rowid` or `n` of the snapshot. */
export function countByNumber({ before, after }: Rows, number: string): string {
  const [[source], [target]] = [before, after]
  const cells = (source?.columns ?? []).map((column, at) => {
    return { was: column, is: target?.columns[at] ?? "" }
  })
  const matches = balanced([`b.rowid = a.${number}`, ...cells.map(isKept)], "AND")
  return `(SELECT count(*) FROM ${source?.from} AS a LEFT JOIN ${quoteName(target?.table ?? "")} AS b ON ${matches} WHERE b.rowid IS NULL)`
}
