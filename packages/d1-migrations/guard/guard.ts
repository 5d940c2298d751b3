import type { Copy } from "../classification/copies.ts"
import type { Migration } from "../files/migration-files.ts"
import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import { balanced } from "./balanced.ts"
import type { GuardedTable, Part } from "./guarded-tables.ts"
import {
  countChanged,
  countGone,
  countMissing,
  countOverwritten,
  countRepeated,
  exactRows,
  isKeyed,
  type KeptRows,
} from "./kept-rows.ts"
import type { NamedRows } from "./named-rows.ts"
import { checkNumbers } from "./number-references.ts"
import { compareReferences, mayBreakReferences, recordReferences } from "./references.ts"
import { refuseWhen } from "./refusal-statement.ts"
import { chunked, eachOnce } from "./seeded-conditions.ts"
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
    const needsPlaces =
      (!dense || rows > exactRows) && one.parts.some(({ key }) => key.length === 0)
    const isWhole = one.literalRows.length === 0 && one.named === undefined
    const isAlone = one.sharing.length === 0
    if (one.copy !== undefined && !needsPlaces && isWhole && isAlone) {
      compareCopy(guarding, one.copy)
    } else compareLater(guarding)
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
  const moved = one.changed.map((column) => {
    return { ...column, targets: column.targets.map((target) => ({ ...target, table: to })) }
  })
  const checks = checksOf({ ...one, parts, changed: moved }, { snapshot, rows, sidecar, file })
  const then = guard.within.get(statement) ?? []
  const given = copiedNumbers(one, `SELECT rowid FROM ${quoteName(from)}`, to)
  if (!dense) checks.push(...checkNumbers(given))
  const counted = record({ sidecar, file, column: "rows_before", table: table.name, from: [from] })
  guard.within.set(statement, [...then, ...checks, counted])
  guard.after.push(
    record({ sidecar, file, column: "rows_after", table: table.name, from: one.targets }),
  )
}

function copiedNumbers({ table, numberColumns: columns }: GuardedTable, was: string, to: string) {
  return { columns, table: table.name, was, now: `SELECT rowid FROM ${quoteName(to)}` }
}

/** Holds what the table held before the file, compares it with what there is then, and goes again. */
function compareLater({ guard, one, file, rows, dense, kept, sidecar }: Guarding): void {
  const { table, targets, bound, dropped, named, literalRows } = one
  const isFew = named?.only === true
  const isCounted = !dropped && rows > comparedRows && !isFew
  const held = isCounted ? "count(*) AS n" : snapshotColumns(one)
  const fewer = `(SELECT n FROM ${kept}) - (${countOf(targets)})`
  const from = `${quoteName(table.name)}${isFew ? ` WHERE ${named.condition}` : ""}`
  const counted = (column: string, tables: string[]) =>
    isFew ? [] : [record({ sidecar, file, column, table: table.name, from: tables })]
  guard.before.push(
    ...(named === undefined ? [] : [checkKeys(table.name, named)]),
    ...counted("rows_before", [table.name]),
    `CREATE TABLE ${kept} AS SELECT ${held} FROM ${from};`,
    ...(isCounted ? [] : eachOnce(literalRows).flatMap(chunked)).map(
      (some) =>
        `DELETE FROM ${kept} WHERE rowid IN (SELECT min(rowid) FROM ${kept} WHERE ${balanced(some, "OR")} GROUP BY ${[...one.columns.values()].join(", ")});`,
    ),
  )
  guard.after.push(
    ...(isCounted
      ? [check(fewer, ` fewer rows than ${table.name} had`, bound)]
      : checksOf(one, { snapshot: kept, rows: isFew ? 0 : rows, sidecar, file })),
    ...(isCounted || dense
      ? []
      : checkNumbers(copiedNumbers(one, `SELECT n FROM ${kept}`, targets[0] ?? ""))),
    ...counted("rows_after", targets),
    `DROP TABLE ${kept};`,
  )
}

/** A key names one row: columns may compare otherwise than the index that makes it a key. */
function checkKeys(table: string, { condition, keys }: NamedRows): string {
  const found = `SELECT count(*) FROM ${quoteName(table)} WHERE ${condition}`
  const named = ` rows of ${table} have a key that the file names, and it names ${keys}`
  return check(`(${found})`, named, keys)
}

function snapshotColumns(one: GuardedTable): string {
  const { parts, columns, numbered, changed, named, literalRows } = one
  const needed = new Set([
    ...parts.flatMap(({ names }) => names),
    ...changed.map(({ name }) => name),
  ])
  const used = [...columns].filter(([was]) => literalRows.length > 0 || needed.has(was))
  const values = used.map(([was, as]) => `+${quoteName(was)} AS ${as}`)
  const number = numbered ? ["rowid AS n"] : values.length === 0 ? ["1 AS n"] : []
  const given =
    named === undefined || named.columns.length === 0 ? [] : [`${named.condition} AS named`]
  return [...number, ...values, ...given].join(", ")
}

type Held = { snapshot: string; rows: number; sidecar: string; file: string }

function checksOf(one: GuardedTable, held: Held): string[] {
  const { table, parts, bound, changed } = one
  return [
    ...parts.flatMap((part) => checksOfPart(one, part, held)),
    ...changed.flatMap(({ name, column, targets }) => {
      const [target] = targets
      const value = target === undefined ? "NULL" : target.value("b", column)
      const now = target === undefined ? "(SELECT 1)" : quoteName(target.table)
      const was = `(SELECT count(*) FROM ${held.snapshot} WHERE trim(${column}) <> '')`
      const is = `(SELECT count(*) FROM ${now} AS b WHERE trim(${value}) <> '')`
      const some = (of: string, from: string) => `(SELECT count(DISTINCT ${of}) FROM ${from})`
      const isConstant = `${some(column, held.snapshot)} > 1 AND ${some(value, `${now} AS b`)} = 1`
      return [
        check(
          `${was} - ${is}`,
          ` values of ${table.name}.${name} are gone, and only declared to change`,
          bound,
        ),
        check(
          `(${isConstant})`,
          ` value stands in all rows of ${table.name}.${name}, and it is only declared to change`,
          0,
        ),
      ]
    }),
  ]
}

function checksOfPart(one: GuardedTable, part: Part, held: Held): string[] {
  const { table, targets, bound, sharing } = one
  const where = targets.filter((target) => part.places.includes(target)).join(" or ") || "any table"
  const isFilled = part.filled.length > 0
  const some = part.filled.map((name) => `${name} IS NOT NULL`).join(" OR ")
  const snapshot = isFilled ? `(SELECT * FROM ${held.snapshot} WHERE ${some})` : held.snapshot
  const kept = { ...part, ...held, snapshot }
  const names = part.names.join(", ")
  const what = ` of the rows of ${table.name} differ or are missing in ${where} (${names})`
  const differ = what.replace("differ or are missing", "differ")
  const isBounded = bound > 0 && !isFilled
  const home = one.parts.find(({ filled, ...other }) => isKeyed(other) && filled.length === 0)
  const missing = check(countMissing(kept), what + adviceFor(kept), bound + part.bound)
  const counts = [missing]
  if (isBounded && isKeyed(kept)) {
    const gone = ` of the rows of ${table.name} are missing in ${where}`
    counts[0] = check(countGone(kept, bound), gone, bound)
    counts.push(check(countChanged(kept), differ, part.bound))
  } else if (isBounded && part.numbers.join() === "n") {
    counts.push(check(countOverwritten(kept), differ, part.bound))
  } else if (bound > 0 && isFilled && home !== undefined) {
    // What was moved went with its row, or is lost.
    const own = countGone({ ...home, ...held }, 0)
    counts.push(check(`${countMissing(kept)} - (${own})`, what, part.bound))
  }
  const repeated = ` rows of ${table.name} are there more often than before in ${where} (${names})`
  const isMore = part.isCopied && part.columns.length > 0
  if (!isMore) return counts
  const all = [table.name, ...sharing]
  // Rows that are equal in two of them are no fewer in what both become.
  const most =
    sharing.length === 0
      ? `(SELECT count(*) FROM ${held.snapshot})`
      : `(SELECT sum(value) FROM "${held.sidecar}" AS s, json_each(s.rows_before) AS r WHERE s.name = ${literal(held.file)} AND r.key IN (${all.map(literal).join(", ")}))`
  const fewer = `${most} - (${countOf(targets)})`
  const together =
    sharing.length === 0 ? [] : [check(fewer, ` fewer rows than ${all.join(" and ")} had`, bound)]
  return [...counts, ...together, check(countRepeated(kept, most), repeated, bound)]
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
