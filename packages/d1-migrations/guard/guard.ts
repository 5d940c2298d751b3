import type { Copy } from "../classification/copies.ts"
import type { Migration } from "../files/migration-files.ts"
import { quoteName, type Table } from "../schema/schema.ts"
import { balanced } from "./balanced.ts"
import type { GuardedTable, Part } from "./guarded-table.ts"
import {
  countChanged,
  countGone,
  countMissing,
  countOverwritten,
  countRepeated,
  exactRows,
  isKeyed,
  keptNumbers,
  type KeptRows,
} from "./kept-rows.ts"
import type { NamedRows } from "./named-rows.ts"
import { checkNumbers } from "./number-references.ts"
import { compareReferences, mayBreakReferences, recordReferences } from "./references.ts"
import { check } from "./refusal-statement.ts"
import { chunked, eachOnce } from "./seeded-conditions.ts"
import { keepSequences, recordSequences } from "./sequences.ts"
import { sharedRows, sharingOf, sharingTables } from "./shared-rows.ts"
import { comparedRows, type TableSize } from "./size.ts"

/** Statements that run in one request with a file, and fail it if it takes what it does not declare. */
export type Guard = {
  before: string[]
  /** By the number of the statement of the file before which they run. */
  within: Map<number, string[]>
  after: string[]
  /** Rows of the tables that are compared whole, as they were counted before. */
  rows: Record<string, number>
}

type Guarded = {
  file: Migration
  tables: GuardedTable[]
  sizes: TableSize[]
  /** Tables whose AUTOINCREMENT may start anew, and their names afterwards. */
  renumbered: [string, string][]
}

/** Undefined for a file that only adds. */
export function guardOf({ file, tables, sizes, renumbered }: Guarded): Guard | undefined {
  const references = mayBreakReferences(file)
  if (tables.length + renumbered.length === 0 && !references) return undefined
  const counts = sizes.map(({ table, rows }) => [table, rows])
  const guard: Guard = {
    before: [],
    within: new Map(),
    after: [],
    rows: Object.fromEntries(counts),
  }
  const drops: string[] = []
  const sized = tables.map((one, index) => {
    const size = sizes.find(({ table }) => table === one.table.name)
    const { rows, dense } = size ?? { rows: 0, dense: false }
    return { one, rows, dense, kept: `d1_migrations_before_${index}` }
  })
  const shared = sharingTables(tables)
  const snapshots = new Map(
    sized.flatMap(({ one, rows, kept }): [Table, string][] =>
      shared.has(one) && !isFew(one) && !isCounted(one, rows) ? [[one.table, kept]] : [],
    ),
  )
  for (const { one, rows, dense, kept } of sized) {
    const guarding = { guard, one, rows, dense, kept, tables, snapshots }
    // Without a key the place of a row may tell which one it is, and only a snapshot has places.
    const needsPlaces =
      (!dense || rows > exactRows) && one.parts.some(({ key }) => key.length === 0)
    const isWhole = one.literalRows.length === 0 && one.named === undefined
    if (one.copy !== undefined && !needsPlaces && isWhole && !shared.has(one)) {
      compareCopy(guarding, one.copy)
    } else {
      compareLater(guarding)
      drops.push(`DROP TABLE ${kept};`)
    }
  }
  guard.after.push(...drops)
  if (renumbered.length > 0) {
    guard.before.push(recordSequences(renumbered))
    guard.after.push(keepSequences)
  }
  if (!references) return guard
  guard.before.push(recordReferences)
  guard.after.push(compareReferences)
  return guard
}

type Guarding = Pick<TableSize, "rows" | "dense"> & {
  guard: Guard
  one: GuardedTable
  /** Name of a snapshot. */
  kept: string
  tables: GuardedTable[]
  /** Of tables whose rows come together. */
  snapshots: Map<Table, string>
}

/** Whether no other rows are kept than those that statements name. */
function isFew({ named }: GuardedTable): boolean {
  return named?.only === true
}

/** Whether nothing but the number of its rows is kept. */
function isCounted(one: GuardedTable, rows: number): boolean {
  return !one.dropped && rows > comparedRows && !isFew(one)
}

/** While both tables are there: nothing has to be held for later. */
function compareCopy({ one, rows, dense, ...held }: Guarding, { statement, from, to }: Copy): void {
  const snapshot = `(SELECT ${snapshotColumns(one)} FROM ${quoteName(from)})`
  const parts = one.parts.map((part) => {
    const targets = part.targets.map((target) => ({ ...target, table: to }))
    const isAlike = dense || part.key.length === 0
    return { ...part, targets, numbers: part.numbers.filter((name) => name === "n" && isAlike) }
  })
  const moved = one.changed.map((column) => {
    return { ...column, targets: column.targets.map((target) => ({ ...target, table: to })) }
  })
  const copied = { ...one, parts, changed: moved }
  const checks = checksOf(copied, { ...held, snapshot, rows })
  checks.push(...checkCopied(copied, snapshot, `SELECT rowid FROM ${quoteName(from)}`))
  const then = held.guard.within.get(statement) ?? []
  held.guard.within.set(statement, [...then, ...checks])
}

function checkCopied(one: GuardedTable, snapshot: string, was: string): string[] {
  const { table, numberColumns: columns, parts } = one
  const home = parts.find(({ filled, targets }) => filled.length === 0 && targets.length > 0)
  if (home === undefined) return []
  const kept = keptNumbers({ ...home, snapshot, rows: 0 })
  return checkNumbers({ columns, table: table.name, was, kept })
}

/** Holds what the table held before the file, compares it with what there is then, and goes again. */
function compareLater({ one, rows, ...held }: Guarding): void {
  const { guard, kept } = held
  const { table, targets, bound, named, literalRows } = one
  const few = isFew(one) ? ` WHERE ${named?.condition}` : ""
  const onlyCounted = isCounted(one, rows)
  const values = onlyCounted ? "count(*) AS n" : snapshotColumns(one)
  const now = targets.map((name) => ` - (SELECT count(*) FROM ${quoteName(name)})`)
  const fewer = `(SELECT n FROM ${kept})${now.join("")}`
  guard.before.push(
    ...(named === undefined ? [] : [checkKeys(table.name, named)]),
    `CREATE TABLE ${kept} AS SELECT ${values} FROM ${quoteName(table.name)}${few};`,
    ...(onlyCounted ? [] : eachOnce(literalRows).flatMap(chunked)).map(
      (some) =>
        `DELETE FROM ${kept} WHERE rowid IN (SELECT min(rowid) FROM ${kept} WHERE ${balanced(some, "OR")} GROUP BY ${[...one.columns.values()].join(", ")});`,
    ),
  )
  guard.after.push(
    ...(onlyCounted
      ? [check(fewer, ` fewer rows than ${table.name} had`, bound)]
      : checksOf(one, { ...held, snapshot: kept, rows: isFew(one) ? 0 : rows })),
    ...(onlyCounted ? [] : checkCopied(one, kept, `SELECT n FROM ${kept}`)),
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

type Held = Pick<Guarding, "rows" | "tables" | "snapshots"> & { snapshot: string }

function checksOf(one: GuardedTable, held: Held): string[] {
  const { table, parts, bound, changed } = one
  return [
    ...parts.flatMap((part) => checksOfPart(one, part, held)),
    ...changed.flatMap(({ name, column, targets, said }) => {
      const [target] = targets
      const value = target === undefined ? "NULL" : target.value("b", column)
      const now = target === undefined ? "(SELECT 1)" : quoteName(target.table)
      const was = `(SELECT count(*) FROM ${held.snapshot} WHERE trim(${column}) <> '')`
      const is = `(SELECT count(*) FROM ${now} AS b WHERE trim(${value}) <> '')`
      const some = (of: string, from: string) => `(SELECT count(DISTINCT ${of}) FROM ${from})`
      // Values that the file names may become one.
      const unsaid = `${held.snapshot} WHERE ${column} NOT IN (${said.join(", ")})`
      const isConstant = `${some(column, unsaid)} > 1 AND ${some(value, `${now} AS b`)} = 1`
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
  const { table, bound } = one
  const where = part.places.join(" or ") || "any table"
  const isFilled = part.filled.length > 0
  const some = part.filled.map((name) => `${name} IS NOT NULL`).join(" OR ")
  const snapshot = isFilled ? `(SELECT * FROM ${held.snapshot} WHERE ${some})` : held.snapshot
  const kept = { ...part, ...held, snapshot }
  const names = part.names.join(", ")
  const what = ` of the rows of ${table.name} differ or are missing in ${where} (${names})`
  const differ = what.replace("differ or are missing", "differ")
  const isBounded = bound > 0 && !isFilled
  const home = one.parts.find(({ filled, ...other }) => isKeyed(other) && filled.length === 0)
  const blind = blindOf(kept, table)
  const compared = what.replace("differ or are missing", "could not be compared")
  const missing = check(
    countMissing(kept),
    blind === undefined ? what : compared + blind,
    bound + part.bound,
  )
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
  const sharing = sharingOf(one, part, held.tables)
  const shared = sharedRows(one, part, sharing, held.snapshots)
  const together = sharing.length === 0 ? kept : shared && { ...kept, ...shared }
  const all = [table.name, ...sharing.map((other) => other.table.name)].join(" and ")
  const most = sharing.reduce((sum, other) => sum + other.bound, bound)
  if (together !== undefined && sharing.length > 0) {
    const alike = ` of the rows of ${all} differ or are missing in ${where} (${names})`
    counts.push(check(countMissing(together), alike, most + part.bound))
  }
  const columns = together?.columns.filter((column) => part.counted.includes(column)) ?? []
  if (together === undefined || columns.length === 0) return counts
  const repeated = ` rows of ${all} are there more often than before in ${where} (${names})`
  const more = sharing.reduce((sum, other) => sum + other.repeats, one.repeats)
  return [...counts, check(countRepeated({ ...together, columns }), repeated, more)]
}

/** Why rows could not be compared; undefined where they are found one by one, or are few. */
function blindOf({ rows, key, targets }: KeptRows, { columns }: Table): string | undefined {
  if (rows <= exactRows || key.length > 0 || targets.length === 0) return undefined
  const primary = columns.filter(({ inPrimaryKey }) => inPrimaryKey).map(({ name }) => name)
  const or = primary.length === 0 ? "" : `, or there has to be PRIMARY KEY (${primary.join(", ")})`
  return `: of more than ${exactRows} rows without a key each must keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place${or}`
}
