import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import { differencesOf } from "./differences.ts"
import { type GuardedTable, type Judged } from "./guarded-tables.ts"
import { mergedTables, mergeDifferences } from "./merged-tables.ts"
import { changedNumbers, recordReferences, recordSequences } from "./numbers-before.ts"
import { raiseIf } from "./refusal-statement.ts"
import type { TableSize } from "./size.ts"
import { type Guarding, isCounted, snapshotColumns, snapshotOf } from "./snapshot.ts"

/** Statements that run in one request with a file, and fail the request if the file has undeclared losses. */
export type Guard = {
  before: string[]
  /** Statements that run before a statement of the file, by the number of that statement. */
  within: Map<number, string[]>
  after: string[]
  /** Fails the request with all findings. */
  end: string[]
  /** Row counts before the file, by table. */
  rows: Record<string, number>
}

/** The table that collects all findings, so that one message lists them. */
const refused = "d1_migrations_refused"

export const createRefused = `CREATE TABLE IF NOT EXISTS ${refused} (file TEXT, what TEXT);`

/** The prefix of the message from a trial of all files of a run. */
export const trialMark = "trial: "

/** Always fails the request, with the findings of all guards. */
export const endOfTrial = raiseIf({
  what: `(SELECT '${trialMark}' || coalesce(group_concat(file || ': ' || what, ''), '') FROM ${refused})`,
  from: "(SELECT 1)",
  when: "1",
})

/** Creates the guard of a file; undefined for a file that only adds. */
export function guardOf(
  judged: Judged,
  tables: GuardedTable[],
  sizes: TableSize[],
): Guard | undefined {
  const [sequences, references] = [recordSequences(judged), recordReferences(judged)]
  if (tables.length + sequences.length + references.length === 0) return undefined
  const refuse = (report: string) =>
    `INSERT INTO ${refused} SELECT ${literal(judged.file.name)}, what FROM (SELECT ${report} AS what) WHERE what <> '';`
  const { file, analysis, declarations } = judged
  const guarding = tables.map((guardedTable, index): Guarding => {
    const rows = sizes.find(({ table }) => table === guardedTable.table.name)?.rows ?? 0
    const snapshot = `d1_migrations_before_${index}`
    return { ...guardedTable, file, analysis, declarations, rows, snapshot }
  })
  const merged = mergedTables(guarding)
  const within = new Map<number, string[]>()
  const snapshots: Guarding[] = []
  for (const each of guarding) {
    each.isShared = merged.some((group) => group.includes(each))
    const comparison = each.isShared ? undefined : liveComparison(each)
    if (comparison === undefined) snapshots.push(each)
    else {
      const { number, from, live } = comparison
      const checks = [...differencesOf(live), ...changedNumbers(live, `SELECT rowid FROM ${from}`)]
      within.set(number, [...(within.get(number) ?? []), ...checks.map(refuse)])
    }
  }
  const reports = snapshots.flatMap((each) => [
    ...differencesOf(each),
    ...(isCounted(each) ? [] : changedNumbers(each, `SELECT n FROM ${each.snapshot}`)),
  ])
  const recorded = [
    {
      before: snapshots.flatMap(snapshotOf),
      reports: [...reports, ...merged.flatMap(mergeDifferences)],
      after: snapshots.map(({ snapshot }) => `DROP TABLE ${snapshot};`),
    },
    ...sequences,
    ...references,
  ]
  return {
    before: [createRefused, ...recorded.flatMap(({ before }) => before)],
    within,
    after: recorded.flatMap((each) => each.reports.map(refuse).concat(each.after)),
    end: [
      raiseIf({
        what: "what",
        from: `(SELECT group_concat(what, '') AS what FROM ${refused})`,
        when: "what <> ''",
      }),
      `DROP TABLE ${refused};`,
    ],
    rows: Object.fromEntries(sizes.map(({ table, rows }) => [table, rows])),
  }
}

/** Finds the DROP before which a table can be compared with its complete copy, without a snapshot. */
function liveComparison(guarding: Guarding) {
  const { table, places, columns, analysis, seedConditions } = guarding
  const [place, ...otherPlaces] = places
  const live = analysis.tables.findByOriginalName(table.name)
  const drop = analysis.operations.find(
    (operation) => operation.does === "drop" && operation.table === live,
  )
  if (place?.pairing === undefined || drop?.does !== "drop" || live === undefined) return undefined
  const reshapes = analysis.steps.some(
    ({ node }) => node?.type === "AlterTableStmt" && node.body.type !== "RenameToAlterTableBody",
  )
  const isMoved = columns.some(({ to }) => to !== undefined)
  const isLater = drop.isWritten || (analysis.written.get(place.live) ?? 0) >= drop.number
  const isHeld = otherPlaces.length > 0 || seedConditions.length > 0
  const [name, nameThen] = [drop.names.get(live), drop.names.get(place.live)]
  if (reshapes || isMoved || isLater || isHeld || name === undefined || nameThen === undefined) {
    return undefined
  }
  const from = quoteName(name)
  const placeThen = { ...place, table: { ...place.table, name: nameThen } }
  const snapshot = `(SELECT ${snapshotColumns(guarding)} FROM ${from})`
  return {
    number: drop.number,
    from,
    live: { ...guarding, snapshot, isLive: true, places: [placeThen] },
  }
}
