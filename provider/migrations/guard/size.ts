import * as z from "zod"

import type { Classification } from "../classification/classification.ts"
import type { Migration } from "../migration-files.ts"
import { findTable, quoteName, type Table } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { balanced } from "./balanced.ts"

/** D1 ends a request after 30 s (developers.cloudflare.com/d1/platform/limits). */
const seconds = 30
/** Rows that one request copies or compares in that time: assumed, a third of what workerd does here. */
const rowsPerSecond = 100_000
/** Bytes of rebuilt tables in one request: assumed, as above. */
const bytesPerRequest = 512_000_000
/** Columns of a table (the same page of limits). */
const columnLimit = 100
export type TableSize = { table: string; rows: number; bytes: number }

const SizeRow = z.object({ name: z.string(), rows: z.number(), length: z.number() })

/** The tables that a file rebuilds: those of which it makes a copy. */
export function rebuiltTables({ copies }: Classification, before: Table[]): Table[] {
  const names = [...new Set(copies.map(({ table }) => table))]
  return names.flatMap((name) => findTable(before, name) ?? [])
}

/** Rows, and the average length of the first thousand, of each table. */
export function sizeQueries(tables: Table[]): Record<string, string> {
  return Object.fromEntries(
    tables.map(({ name, columns }) => {
      const lengths = columns
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

/** Why a file cannot fit into one request of D1; undefined when it can. */
export function findOversize(
  file: Migration,
  { copies }: Classification,
  sizes: TableSize[],
): string | undefined {
  const steps = ({ table, rows }: TableSize) =>
    rows * (1 + copies.filter((copy) => copy.table === table).length)
  const work = sizes.reduce((sum, size) => sum + steps(size), 0)
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
  if (work <= seconds * rowsPerSecond && bytes <= bytesPerRequest) return undefined
  const tables = sizes
    .map(({ table, rows, bytes: size }) => `${table} (${rows} rows, about ${inMegabytes(size)} MB)`)
    .join(", ")
  return (
    `${file.name} rebuilds ${tables}, for which D1's ${seconds} s for one request are not enough. ` +
    `Change it in batches: one file adds the new column or table, further files fill it with ` +
    `UPDATE or INSERT of ${seconds * rowsPerSecond} rows at most (WHERE rowid BETWEEN … AND …), the last one drops what is left over.`
  )
}

/** Tables that D1 does not take. */
export function findTooWide(file: Migration, { after }: Classification): string[] {
  return after
    .filter(({ columns }) => columns.length > columnLimit)
    .map(
      ({ name, columns }) =>
        `${file.name} gives ${name} ${columns.length} columns, D1 takes ${columnLimit}: split the table`,
    )
}

function inMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000)
}
