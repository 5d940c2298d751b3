import type { Migration } from "../files/migration-files.ts"
import { isNumbered, isRowid, isSameName, quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import { isKept } from "./compare.ts"
import { differencesOf } from "./differences.ts"
import type { GuardedTable, Judged } from "./guarded-tables.ts"
import { checkNumbers, numberColumns } from "./hidden-rows.ts"
import { mergedTables, mergeDifferences } from "./merged-tables.ts"
import { raiseIf } from "./refusal-statement.ts"
import { keepSequences, recordSequences, renumberedTables, sequencesSetBack } from "./sequences.ts"
import type { TableSize } from "./size.ts"
import {
  cellsOf,
  type Guarding,
  isCounted,
  pairingOf,
  snapshotColumns,
  snapshotOf,
} from "./snapshot.ts"

/** Statements that run in one request with a file, and fail it if it takes what it does not declare. */
export type Guard = {
  before: string[]
  /** By the number of the statement of the file before which they run. */
  within: Map<number, string[]>
  after: string[]
  /** Fails the request with all that they found. */
  end: string[]
  /** Rows of the tables that are compared whole, as they were counted before. */
  rows: Record<string, number>
}

/** What is refused, so that all of it is said at once. */
const refused = "d1_migrations_refused"

export const createRefused = `CREATE TABLE IF NOT EXISTS ${refused} (file TEXT, what TEXT);`

/** With this begins what a trial of all files of a run says. */
export const trialMark = "trial: "

/** Fails in any case, with all that the guards of all files found. */
export const endOfTrial = raiseIf({
  what: `(SELECT '${trialMark}' || coalesce(group_concat(file || ': ' || what, ''), '') FROM ${refused})`,
  from: "(SELECT 1)",
  when: "1",
})

/** Undefined for a file that only adds. */
export function guardOf(
  judged: Judged,
  tables: GuardedTable[],
  sizes: TableSize[],
): Guard | undefined {
  const renumbered = renumberedTables(judged)
  const references = mayBreakReferences(judged.file)
  if (tables.length + renumbered.length === 0 && !references) return undefined
  const counts = sizes.map(({ table, rows }) => [table, rows])
  const guard: Guard = {
    before: [createRefused],
    within: new Map(),
    after: [],
    end: [
      raiseIf({
        what: "what",
        from: `(SELECT group_concat(what, '') AS what FROM ${refused})`,
        when: "what <> ''",
      }),
      `DROP TABLE ${refused};`,
    ],
    rows: Object.fromEntries(counts),
  }
  const refuse = (report: string) =>
    `INSERT INTO ${refused} SELECT ${literal(judged.file.name)}, what FROM (SELECT ${report} AS what) WHERE what <> '';`
  const guarding = tables.map((guardedTable, index): Guarding => {
    const size = sizes.find(({ table }) => table === guardedTable.table.name)
    return {
      ...judged,
      guarded: guardedTable,
      rows: size?.rows ?? 0,
      snapshot: `d1_migrations_before_${index}`,
    }
  })
  const shared = mergedTables(guarding)
  for (const each of guarding) {
    const isShared = shared.some((group) => group.includes(each))
    each.isShared = isShared
    const moment = isShared ? undefined : momentOf(each)
    if (moment !== undefined) {
      const { number, from, destination } = moment
      const liveRows = `(SELECT ${snapshotColumns(each.guarded)} FROM ${quoteName(from)})`
      const then: Guarding = {
        ...each,
        snapshot: liveRows,
        isLive: true,
        guarded: { ...each.guarded, destinations: [destination] },
      }
      const checks = differencesOf(then).map(refuse)
      checks.push(...numbersOf(then, `SELECT rowid FROM ${quoteName(from)}`).map(refuse))
      guard.within.set(number, [...(guard.within.get(number) ?? []), ...checks])
      continue
    }
    guard.before.push(...snapshotOf(each))
    guard.after.push(...differencesOf(each).map(refuse))
    if (!isCounted(each)) {
      guard.after.push(...numbersOf(each, `SELECT n FROM ${each.snapshot}`).map(refuse))
    }
  }
  guard.after.push(...shared.flatMap(mergeDifferences).map(refuse))
  for (const each of guarding) {
    if (guard.before.some((sql) => sql.includes(`TABLE ${each.snapshot} `))) {
      guard.after.push(`DROP TABLE ${each.snapshot};`)
    }
  }
  if (renumbered.length > 0) {
    guard.before.push(recordSequences(renumbered))
    const isWritten = judged.analysis.steps.some(({ effect }) => effect?.writesSequences)
    // What the file says itself is compared; what a rebuild forgets is carried over.
    if (isWritten) guard.after.push(refuse(sequencesSetBack(judged.file.names.declarations)))
    guard.after.push(keepSequences)
  }
  if (references) {
    guard.before.push(recordReferences)
    guard.after.push(compareReferences(refuse))
  }
  return guard
}

/** The moment right before a table is dropped that has been copied whole: nothing has to be held for later. */
function momentOf({ guarded, analysis, declarations }: Guarding) {
  const [destination, ...destinations] = guarded.destinations
  const live = analysis.tables.findByOriginalName(guarded.table.name)
  const drop = analysis.operations.find(
    (operation) => operation.does === "drop" && operation.table === live,
  )
  if (
    destination === undefined ||
    destinations.length > 0 ||
    drop?.does !== "drop" ||
    live === undefined
  ) {
    return undefined
  }
  const reshapes = analysis.steps.some(
    ({ node }) => node?.type === "AlterTableStmt" && node.body.type !== "RenameToAlterTableBody",
  )
  const isMoved = declarations.some(
    (each) => each.does === "moves values" && isSameName(each.table, guarded.table.name),
  )
  const isLater = drop.isWritten || (analysis.written.get(destination.live) ?? 0) >= drop.number
  const isLoose =
    pairingOf(guarded, destination, declarations) === undefined || guarded.seeds.length > 0
  const [from, to] = [drop.names.get(live), drop.names.get(destination.live)]
  if (reshapes || isMoved || isLater || isLoose || from === undefined || to === undefined) {
    return undefined
  }
  return {
    number: drop.number,
    from,
    destination: { ...destination, table: { ...destination.table, name: to } },
  }
}

/** Numbers of rows that another table may hold, where a copy gives new ones. */
function numbersOf(guarding: Guarding, rowidsBefore: string): string[] {
  const { guarded, analysis, snapshot, file } = guarding
  const [destination, ...destinations] = guarded.destinations
  const isRenumbered =
    destination !== undefined &&
    destinations.length === 0 &&
    !destination.same &&
    guarded.isNumbered &&
    isNumbered(destination.table) &&
    !guarded.table.columns.some(({ name }) => isRowid(guarded.table, name))
  if (!isRenumbered) return []
  const columns = numberColumns(analysis, file.names, guarded.table)
  const cells = cellsOf(guarding, destination)
  const join = balanced(["b.rowid = a.n", ...cells.map(isKept)], "AND")
  const stay = `SELECT a.n FROM ${snapshot} AS a CROSS JOIN ${quoteName(destination.table.name)} AS b WHERE ${join}`
  return checkNumbers({ columns, table: guarded.table.name, was: rowidsBefore, kept: stay })
}

/**
 * A file that ends the deferral of foreign keys by itself commits references that lead nowhere: SQLite
 * then forgets what it had still to check (tried on workerd 1.20261102.1). Prisma ends its rebuilds so.
 */
function mayBreakReferences({ sql }: Migration): boolean {
  return /defer_foreign_keys/i.test(sql)
}

const referencesTable = "d1_migrations_references_before"
const broken = "SELECT count(*) AS n FROM temp.pragma_foreign_key_check"

const recordReferences = `CREATE TABLE ${referencesTable} AS ${broken};`

/** Says when more of them lead nowhere than before the file. */
function compareReferences(refuse: (what: string) => string): string {
  const report =
    "'rows that refer to rows that do not exist: ' || now || ', and ' || before || ' before the file: delete or correct them in the file, and leave PRAGMA defer_foreign_keys = OFF out' || char(10)"
  return `${refuse(`(SELECT CASE WHEN now > before THEN ${report} ELSE '' END FROM (SELECT (${broken}) AS now, n AS before FROM ${referencesTable}))`)}
DROP TABLE ${referencesTable};`
}
