import type { Copy } from "../classification/copies.ts"
import { quoteName } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { balanced } from "./balanced.ts"
import { refuseWhen } from "./refusal-statement.ts"
import { rowSum } from "./row-sum.ts"

/** Rows up to which tables are compared without a key: beyond, one of them does not fit into memory. */
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
  // Rows that go leave gaps between the numbers of the others.
  const inOrder = copy.numbered && bound === 0 ? [pairedInOrder(content)] : []
  const byKey = key.length > 0 ? [pairedByKey(content)] : []
  const pairs = [...inOrder, ...byKey]
  const names = columns.join(", ")
  if (key.length > 0 || rows <= exactRows) {
    return refuseWhen({
      what: `n || ${literal(` of the rows of ${copy.table} differ or are missing in ${copy.to} (${names})`)}`,
      from: `(SELECT ${unlessPaired({ content, pairs, bound, otherwise: unequalRows(content) })} AS n)`,
      when: `n > ${bound}`,
    })
  }
  if (bound > 0) return undefined
  return refuseWhen({
    what: literal(`the content of ${copy.table} is another in ${copy.to} (${names})`),
    from: `(SELECT ${unlessPaired({ content, pairs, bound, otherwise: sumsDiffer(content) })} AS n)`,
    when: "n > 0",
  })
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
 */
function pairedInOrder(content: Content): string {
  const { from, to } = content
  const numbers = `(SELECT max(rowid) FROM ${from}) = (SELECT max(rowid) FROM ${to})`
  return `iif(${numbers}, ${countPairs(content, ["b.rowid = a.rowid"])}, 0)`
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

/** Exactly, and as slowly as that takes. */
function unequalRows(content: Content): string {
  const { from, to, columns, key } = content
  const found = key.map((name) => isFound(name, "IS"))
  const list = columns.map((name) => quoteName(name)).join(", ")
  const unequal =
    key.length > 0
      ? `SELECT 1 FROM ${from} AS a WHERE NOT EXISTS (SELECT 1 FROM ${to} AS b WHERE ${isSameRow(content, found)})`
      : `SELECT ${list} FROM ${from} EXCEPT SELECT ${list} FROM ${to}`
  return `(SELECT count(*) FROM (${unequal}))`
}

function sumsDiffer({ from, to, columns }: Content): string {
  const sum = (table: string) => `(SELECT sum(${rowSum(columns)}) FROM ${table})`
  return `${sum(from)} IS NOT ${sum(to)}`
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
