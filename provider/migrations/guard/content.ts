import type { Copy } from "../classification/copies.ts"
import { quoteName } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { refuseWhen } from "./refusal-statement.ts"

/** Rows up to which content is compared value by value; beyond, by a sum, which costs a fifth. */
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
  if (rows <= exactRows) {
    const list = columns.map((name) => quoteName(name)).join(", ")
    return refuseWhen({
      what: `n || ${literal(` of the rows of ${copy.table} differ or are missing in ${copy.to} (${columns.join(", ")})`)}`,
      from: `(SELECT count(*) AS n FROM (SELECT ${list} FROM ${from} EXCEPT SELECT ${list} FROM ${to}))`,
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

/** D1 limits the depth of an expression to 100. */
function balanced(parts: string[]): string {
  const [first = "0"] = parts
  if (parts.length <= 1) return first
  const middle = Math.ceil(parts.length / 2)
  return `(${balanced(parts.slice(0, middle))} + ${balanced(parts.slice(middle))})`
}
