import { quoteName } from "../schema/schema.ts"
import type { Turn } from "./table-order.ts"

/** Gives most rows the references that had to wait for rows of later tables. */
export function closeCircles({ table, postponed }: Turn): string[] {
  const name = quoteName(table.name)
  return postponed.map(({ columns, parent, parentColumns }) => {
    const from = parentColumns.map(quoteName).join(", ")
    const filled = parentColumns.map((column) => `${quoteName(column)} IS NOT NULL`).join(" AND ")
    const some = table.withoutRowid ? "1" : `${name}.rowid % 4`
    const first = `SELECT ${from} FROM ${quoteName(parent)} WHERE ${filled} ORDER BY ${from} LIMIT 7`
    const which = table.withoutRowid
      ? "1"
      : `1 + abs(${name}.rowid) % (SELECT count(*) FROM (${first}))`
    return `UPDATE OR IGNORE ${name} SET (${columns.map(quoteName).join(", ")}) =
(SELECT ${from} FROM (SELECT *, row_number() OVER () AS place FROM (${first})) WHERE place = ${which})
WHERE ${some} <> 0;`
  })
}
