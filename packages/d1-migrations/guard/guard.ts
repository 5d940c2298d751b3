import type { Copy } from "../classification/copies.ts"
import type { Migration } from "../files/migration-files.ts"
import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import type { GuardedTable } from "./guarded-tables.ts"
import { countMissing, exactRows, type KeptRows } from "./kept-rows.ts"
import { compareReferences, mayBreakReferences, recordReferences } from "./references.ts"
import { refuseWhen } from "./refusal-statement.ts"
import { comparedRows, type TableSize } from "./size.ts"

/** Statements that run in one request with a file, and fail it if it takes what it does not declare. */
export type Guard = {
  before: string[]
  /** By the number of the statement of the file before which they run. */
  within: Map<number, string[]>
  after: string[]
}

type Guarded = {
  file: Migration
  tables: GuardedTable[]
  sizes: TableSize[]
  /** Tables whose AUTOINCREMENT may start anew. */
  renumbered: string[]
  /** The table that keeps what is counted. */
  sidecar: string
}

/** Undefined for a file that only adds. */
export function guardOf({ file, tables, sizes, renumbered, sidecar }: Guarded): Guard | undefined {
  const references = mayBreakReferences(file)
  if (tables.length === 0 && !references) return undefined
  const guard: Guard = { before: [], within: new Map(), after: [] }
  for (const [index, one] of tables.entries()) {
    const size = sizes.find(({ table }) => table === one.table.name)
    const { rows, dense } = size ?? { rows: 0, dense: false }
    const kept = `d1_migrations_before_${index}`
    const guarding = { guard, one, file: file.name, rows, dense, kept, sidecar }
    // Without a key the place of a row may tell which one it is, and only a snapshot has places.
    const isKeyed = rows <= exactRows || one.parts.every(({ key }) => key.length > 0)
    if (one.copy !== undefined && isKeyed) compareCopy(guarding, one.copy)
    else compareLater(guarding)
  }
  if (renumbered.length > 0) {
    guard.before.push(`CREATE TABLE ${numbers} AS SELECT name, seq FROM sqlite_sequence;`)
    guard.after.push(keepNumbers(renumbered))
  }
  if (!references) return guard
  guard.before.push(recordReferences)
  guard.after.push(compareReferences)
  return guard
}

const numbers = "d1_migrations_numbers_before"

/** Numbers of rows that are gone are never given again: a rebuild goes on after the last one. */
function keepNumbers(tables: string[]): string {
  const names = tables.map(literal).join(", ")
  return `DELETE FROM ${numbers} WHERE name NOT IN (${names}) OR seq < coalesce((SELECT s.seq FROM sqlite_sequence AS s WHERE s.name = ${numbers}.name), 0);
DELETE FROM sqlite_sequence WHERE name IN (SELECT name FROM ${numbers});
INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM ${numbers};
DROP TABLE ${numbers};`
}

type Guarding = Pick<TableSize, "rows" | "dense"> & {
  guard: Guard
  one: GuardedTable
  file: string
  /** Name of a snapshot. */
  kept: string
  sidecar: string
}

/** While both tables are there: nothing has to be held for later. */
function compareCopy(
  { guard, one, file, rows, dense, sidecar }: Guarding,
  { statement, from, to }: Copy,
): void {
  const { table } = one
  const snapshot = `(SELECT ${snapshotColumns(one)} FROM ${quoteName(from)})`
  const parts = one.parts.map((part) => {
    const targets = part.targets.map((target) => ({ ...target, table: to }))
    const isAlike = dense || part.key.length === 0
    return { ...part, targets, numbers: part.numbers.filter((name) => name === "n" && isAlike) }
  })
  const checks = checksOf({ ...one, parts }, { snapshot, rows })
  const then = guard.within.get(statement) ?? []
  const counted = record({ sidecar, file, column: "rows_before", table: table.name, from: [from] })
  guard.within.set(statement, [...then, ...checks, counted])
  guard.after.push(
    record({ sidecar, file, column: "rows_after", table: table.name, from: one.targets }),
  )
}

/** Holds what the table held before the file, compares it with what there is then, and goes again. */
function compareLater({ guard, one, file, rows, kept, sidecar }: Guarding): void {
  const { table, targets, bound, dropped } = one
  const isCounted = !dropped && rows > comparedRows
  const held = isCounted ? "count(*) AS n" : snapshotColumns(one)
  const fewer = `(SELECT n FROM ${kept}) - (${countOf(targets)})`
  guard.before.push(
    record({ sidecar, file, column: "rows_before", table: table.name, from: [table.name] }),
    `CREATE TABLE ${kept} AS SELECT ${held} FROM ${quoteName(table.name)};`,
  )
  guard.after.push(
    ...(isCounted
      ? [check(fewer, ` fewer rows than ${table.name} had`, bound)]
      : checksOf(one, { snapshot: kept, rows })),
    record({ sidecar, file, column: "rows_after", table: table.name, from: targets }),
    `DROP TABLE ${kept};`,
  )
}

function snapshotColumns({ parts, columns, numbered }: GuardedTable): string {
  const used = [...columns].filter(([was]) => parts.some(({ names }) => names.includes(was)))
  const values = used.map(([was, as]) => `+${quoteName(was)} AS ${as}`)
  return [...(numbered ? ["rowid AS n"] : values.length === 0 ? ["1 AS n"] : []), ...values].join(
    ", ",
  )
}

function checksOf(
  { table, targets, parts, bound }: GuardedTable,
  held: { snapshot: string; rows: number },
): string[] {
  return parts.map((part) => {
    const where = targets.filter((one) => part.places.includes(one)).join(" or ") || "any table"
    const what = ` of the rows of ${table.name} differ or are missing in ${where} (${part.names.join(", ")})`
    const kept = { ...part, ...held }
    return check(countMissing(kept), what + adviceFor(kept), bound + part.bound)
  })
}

type Recording = { sidecar: string; file: string; column: string; table: string; from: string[] }

/** Adds a count to the file's row of the sidecar. */
function record({ sidecar, file, column, table, from }: Recording): string {
  const counted = `json_object(${literal(table)}, ${countOf(from)})`
  return `UPDATE "${sidecar}" SET ${column} = json_patch(coalesce(${column}, '{}'), ${counted}) WHERE name = ${literal(file)};`
}

function countOf(tables: string[]): string {
  const counts = tables.map((name) => `(SELECT count(*) FROM ${quoteName(name)})`)
  return counts.join(" + ") || "0"
}

function check(missing: string, what: string, bound: number): string {
  const when = `n > ${Math.min(bound, Number.MAX_SAFE_INTEGER)}`
  return refuseWhen({ what: `n || ${literal(what)}`, from: `(SELECT ${missing} AS n)`, when })
}

function adviceFor({ rows, key, targets }: KeptRows): string {
  return rows > exactRows && key.length === 0 && targets.length > 0
    ? `; of more than ${exactRows} rows without a key each must keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place`
    : ""
}
