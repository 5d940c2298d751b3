import { quoteName } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import type { GuardedTable, Judged } from "./guarded-tables.ts"
import { comparedRows } from "./size.ts"

/** A guarded table of a database. */
export type Guarding = GuardedTable &
  Pick<Judged, "file" | "analysis" | "declarations"> & {
    rows: number
    /** The name of a snapshot, or a query of the table that is about to go. */
    snapshot: string
    isLive?: boolean
    /** Whether rows of others come together with its own. */
    isShared?: boolean
  }

/** Whether nothing but the number of its rows is compared. */
export function isCounted({ places, rows, few }: Guarding): boolean {
  return rows > comparedRows && few === undefined && places.some(({ same }) => same)
}

export function snapshotColumns({ columns, isNumbered }: GuardedTable): string {
  const values = columns.map(({ name, was }) => `+${quoteName(name)} AS ${was}`)
  return [...(isNumbered ? ["rowid AS n"] : []), ...values].join(", ")
}

export function snapshotOf(guarding: Guarding): string[] {
  const { table, snapshot, few, columns, seedConditions } = guarding
  const from = quoteName(table.name)
  if (isCounted(guarding)) return [`CREATE TABLE ${snapshot} AS SELECT count(*) AS n FROM ${from};`]
  const where = few === undefined ? "" : ` WHERE ${few}`
  const group = columns.map(({ was }) => was).join(", ")
  return [
    `CREATE TABLE ${snapshot} AS SELECT ${snapshotColumns(guarding)} FROM ${from}${where};`,
    ...chunksOf(seedConditions).map(
      (chunk) =>
        `DELETE FROM ${snapshot} WHERE rowid IN (SELECT min(rowid) FROM ${snapshot} WHERE ${balanced(chunk, "OR")} GROUP BY ${group});`,
    ),
  ]
}

/** Bytes of conditions in one statement. */
const mostBytes = 50_000

/** Parts without repeats that fit into one statement each: of equal rows each condition excuses one. */
function chunksOf(conditions: string[]): string[][] {
  const chunks: { bytes: number; parts: Set<string> }[] = []
  for (const condition of conditions) {
    const bytes = Buffer.byteLength(condition) + 6
    const fits = (chunk: (typeof chunks)[number]) =>
      !chunk.parts.has(condition) && chunk.bytes + bytes <= mostBytes
    const chunk = chunks.find(fits) ?? { bytes: 0, parts: new Set() }
    if (chunk.parts.size === 0) chunks.push(chunk)
    chunk.bytes += bytes
    chunk.parts.add(condition)
  }
  return chunks.map(({ parts }) => Array.from(parts))
}
