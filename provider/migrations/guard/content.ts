import type { Copy } from "../classification/copies.ts"
import { quoteName } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { balanced } from "./balanced.ts"
import { refuseWhen } from "./refusal-statement.ts"

/** Rows up to which tables are compared without a key: SQLite sorts them all for that. */
export const exactRows = 100_000

type Comparison = {
  copy: Copy
  /** Rows of the table before the file. */
  rows: number
  /** Columns that are declared to change. */
  changed: string[]
  /** Rows that are declared to go. */
  bound: number
}

/** A statement that fails when a copy lacks content; undefined when nothing can be compared. */
export function compareContent({ copy, rows, changed, bound }: Comparison): string | undefined {
  const isChanged = (name: string) => changed.includes(name.toLowerCase())
  const columns = copy.columns.filter((name) => !isChanged(name))
  if (columns.length === 0) return undefined
  const key = copy.key.some(isChanged) ? [] : copy.key
  const content = { from: quoteName(copy.from), to: quoteName(copy.to), columns, key }
  const byKey = key.length > 0 ? [pairedByKey(content)] : []
  const byNumber = copy.numbered ? [pairedByNumber(content, bound)] : []
  const isExact = key.length > 0 || rows <= exactRows
  const otherwise = isExact ? unequalRows(content) : unpairedRows(content, byNumber)
  const advice = isExact ? "" : `; ${adviceFor(copy)}`
  return refuseWhen({
    what: `n || ${literal(` of the rows of ${copy.table} differ or are missing in ${copy.to} (${columns.join(", ")})${advice}`)}`,
    from: `(SELECT ${unlessPaired({ content, pairs: [...byNumber, ...byKey], bound, otherwise })} AS n)`,
    when: `n > ${bound}`,
  })
}

function adviceFor({ table, from, to, numbered }: Copy): string {
  return numbered
    ? `a table of more than ${exactRows} rows without a key is copied with their numbers: INSERT INTO ${to} (rowid, …) SELECT rowid, … FROM ${from}`
    : `${table} has more than ${exactRows} rows and neither a key nor a rowid, so nothing can compare them`
}

/** Quoted names of the tables, and the names of the columns to compare. */
type Content = { from: string; to: string; columns: string[]; key: string[] }

type Attempts = {
  content: Content
  /** Numbers of rows of `from` that have one of their own in `to`; cheapest first. */
  pairs: string[]
  bound: number
  otherwise: string
}

/** SQLite takes the branches one after the other, so what is dear is counted only if it has to be. */
function unlessPaired({ content: { from }, pairs, bound, otherwise }: Attempts): string {
  if (pairs.length === 0) return otherwise
  const whole = pairs.map(
    (paired) => `WHEN (SELECT count(*) FROM ${from}) - ${paired} <= ${bound} THEN 0`,
  )
  return `CASE ${whole.join("\n")}\nELSE ${otherwise} END`
}

/**
 * A copy numbers its rows in the order of its source. Where the source has no gaps the numbers are
 * the same, and SQLite steps through both tables at once, at half of what look-ups by a key cost.
 * Rows that go leave gaps between the numbers of the others, unless the copy takes the numbers, too.
 */
function pairedByNumber(content: Content, bound: number): string {
  const { from, to, key } = content
  const pairs = countPairs(content, ["b.rowid = a.rowid"])
  if (bound > 0 && key.length === 0) return pairs
  return `iif((SELECT max(rowid) FROM ${from}) = (SELECT max(rowid) FROM ${to}), ${pairs}, 0)`
}

/** A key that is NULL is equal to none, so such rows count as unpaired. */
function pairedByKey(content: Content): string {
  return countPairs(
    content,
    content.key.map((name) => isFound(name, "=")),
  )
}

function countPairs(content: Content, found: string[]): string {
  const { from, to } = content
  return `(SELECT count(*) FROM ${from} AS a CROSS JOIN ${to} AS b WHERE ${isSameRow(content, found)})`
}

/** Exactly, and as slowly as that takes. Of equal rows it counts how many are too few. */
function unequalRows(content: Content): string {
  const { from, to, columns, key } = content
  const found = key.map((name) => isFound(name, "IS"))
  if (key.length > 0) {
    return `(SELECT count(*) FROM ${from} AS a WHERE NOT EXISTS (SELECT 1 FROM ${to} AS b WHERE ${isSameRow(content, found)}))`
  }
  const list = columns.map((name) => quoteName(name)).join(", ")
  const whole = columns.map((name) => `${quoteName(name)} COLLATE BINARY`).join(", ")
  return `(SELECT coalesce(sum(missing), 0) FROM (SELECT sum(one) AS missing
FROM (SELECT ${list}, 1 AS one FROM ${from} UNION ALL SELECT ${list}, -1 FROM ${to})
GROUP BY ${whole} HAVING sum(one) > 0))`
}

/** Those whose number has another row, or none. */
function unpairedRows({ from }: Content, pairs: string[]): string {
  return `(SELECT count(*) FROM ${from})${pairs.map((paired) => ` - ${paired}`).join("")}`
}

/** The plus leaves the type of the comparison to the index of `b`, so that it can be used whatever `a` is. */
function isFound(name: string, operator: "=" | "IS"): string {
  return `b.${quoteName(name)} ${operator} +a.${quoteName(name)}`
}

/** Here a plus keeps SQLite from converting one value to the type of the other: '007' is not 7. */
function isSameRow({ columns }: Content, found: string[]): string {
  const equal = columns.map(
    (name) => `+b.${quoteName(name)} IS +a.${quoteName(name)} COLLATE BINARY`,
  )
  return balanced([...found, ...equal], "AND")
}
