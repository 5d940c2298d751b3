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
  const row = balanced(parts, "+")
  return `((${row}) % 999983) * ((${row}) % 999983)`
}
import { balanced, quoteName } from "@accounts-stack/d1-migrations/schema"
