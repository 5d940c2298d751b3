import type { Copy } from "../classification/copies.ts"
import { quoteName } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { refuseWhen } from "./refusal-statement.ts"

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
  const columns = copy.columns.filter((name) => !changed.includes(name.toLowerCase()))
  if (columns.length === 0) return undefined
  const [from, to] = [quoteName(copy.from), quoteName(copy.to)]
  const list = columns.map((name) => quoteName(name)).join(", ")
  const hasKey =
    copy.key.length > 0 && !copy.key.some((name) => changed.includes(name.toLowerCase()))
  const unequal = hasKey
    ? `SELECT 1 FROM ${from} AS a WHERE NOT EXISTS (SELECT 1 FROM ${to} AS b WHERE ${isSameRow(copy.key, columns)})`
    : `SELECT ${list} FROM ${from} EXCEPT SELECT ${list} FROM ${to}`
  if (hasKey || rows <= exactRows) {
    return refuseWhen({
      what: `n || ${literal(` of the rows of ${copy.table} differ or are missing in ${copy.to} (${columns.join(", ")})`)}`,
      from: `(SELECT count(*) AS n FROM (${unequal}))`,
      when: `n > ${bound}`,
    })
  }
  if (bound > 0) return undefined
  const sum = (table: string) => `(SELECT sum(${rowSum(columns)}) FROM ${table})`
  return refuseWhen({
    what: literal(`the content of ${copy.table} is another in ${copy.to} (${columns.join(", ")})`),
    from: `(SELECT ${sum(from)} AS a, ${sum(to)} AS b)`,
    when: "a IS NOT b",
  })
}

/**
 * A number for a row, from length and four characters of each value, or the value of an integer.
 * D1 has no hash function. The square binds the columns of a row together: values that are swapped
 * between rows change the sum. It stays below 2^63 for nine million rows.
 */
export function rowSum(columns: string[]): string {
  const parts = columns.map((name, index) => {
    const value = quoteName(name)
    const characters = `length(${value}) * 7 + unicode(${value}) * 31 + unicode(substr(${value}, -1)) * 131 + unicode(substr(${value}, length(${value}) / 2 + 1)) * 1031`
    return `coalesce(iif(typeof(${value}) = 'integer', ${value} % 999983, ${characters}), 5) * ${2 * index + 3}`
  })
  const row = balanced(parts)
  return `((${row}) % 999983) * ((${row}) % 999983)`
}

/**
 * SQLite finds the row by the key, so each is looked up once. A plus keeps it from converting one
 * value to the type of the other: '007' is not 7.
 */
function isSameRow(key: string[], columns: string[]): string {
  const found = key.map((name) => `b.${quoteName(name)} IS a.${quoteName(name)}`)
  const equal = columns.map(
    (name) => `+b.${quoteName(name)} IS +a.${quoteName(name)} COLLATE BINARY`,
  )
  return balanced([...found, ...equal], "AND")
}

/** D1 limits the depth of an expression to 100. */
function balanced(parts: string[], operator: "+" | "AND" = "+"): string {
  const [first = "0"] = parts
  if (parts.length <= 1) return first
  const middle = Math.ceil(parts.length / 2)
  const [one, other] = [parts.slice(0, middle), parts.slice(middle)]
  return `(${balanced(one, operator)} ${operator} ${balanced(other, operator)})`
}
