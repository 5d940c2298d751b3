import * as z from "zod"

import { counted } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { quoteName, type Table } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"

/** D1 ends a request after 30 s (developers.cloudflare.com/d1/platform/limits). */
const seconds = 30
/** Rows that one request copies or compares in that time: assumed, a third of what workerd does here. */
const rowsPerSecond = 100_000
/** A rebuild copies its rows, the guard copies them besides, and compares the two. */
const steps = 3
/** Limit on the rows of a table whose values the guard compares. */
export const comparedRows = (seconds * rowsPerSecond) / steps
/** Bytes of rebuilt tables in one request: assumed, as above. */
const bytesPerRequest = 512_000_000

export type TableSize = { table: string; rows: number; bytes: number }

const SizeRow = z.object({
  name: z.string(),
  rows: z.number(),
  length: z.number(),
})

/** Rows, and the average length of the first thousand, of each table. */
export function sizeQueries(tables: Table[]): Record<string, string> {
  return Object.fromEntries(
    tables.map((schemaTable) => {
      const { name } = schemaTable
      const lengths = schemaTable.columns
        .filter(({ generated }) => !generated)
        .map((column) => `coalesce(length(CAST(${quoteName(column.name)} AS BLOB)), 0)`)
      const table = quoteName(name)
      return [
        name,
        `SELECT ${literal(name)} AS name, count(*) AS rows, (SELECT coalesce(avg(${balanced(lengths, "+")}), 0) FROM (SELECT * FROM ${table} LIMIT 1000)) AS length FROM ${table}`,
      ]
    }),
  )
}

export function readSizes(answers: Record<string, unknown[]>): TableSize[] {
  return Object.values(answers)
    .flat()
    .map((row) => SizeRow.parse(row))
    .map(({ name, rows, length }) => ({ table: name, rows, bytes: Math.ceil(rows * length) }))
}

/** Why a file that makes new tables of others cannot fit into one request of D1; undefined when it can. */
export function findOversize(file: Migration, rebuilt: TableSize[]): string | undefined {
  const rows = rebuilt.reduce((sum, size) => sum + size.rows, 0)
  const bytes = rebuilt.reduce((sum, size) => sum + size.bytes, 0)
  if (rows <= comparedRows && bytes <= bytesPerRequest) return undefined
  const tables = rebuilt
    .map(
      (tableSize) =>
        `${tableSize.table} (${counted(tableSize.rows, "row")}, about ${Math.ceil(tableSize.bytes / 1_000_000)} MB)`,
    )
    .join(", ")
  return (
    `${file.name} rebuilds ${tables}, which takes longer than the ${seconds} s of one request of D1. ` +
    `Change it in batches: one file adds the new column or table, further files fill it with ` +
    `UPDATE or INSERT of ${comparedRows} rows at most (WHERE rowid BETWEEN … AND …), the last one drops what is left over.`
  )
}
