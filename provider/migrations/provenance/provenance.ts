import type { ParsedStatement } from "../lint/parsed-script.ts"
import { isOwnTable } from "../own-tables.ts"
import { isSameName, readSchema, tableNames } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import type { StatementEffect } from "../rehearsal/statement-effect.ts"
import type { TellingRow } from "../seed/telling-rows.ts"
import type { Fate, Move } from "./fates.ts"
import { empty, holdTable } from "./held-tables.ts"
import { literalsOf } from "./hints.ts"
import { type Difference, watch } from "./moment.ts"
import type { Part } from "./parts.ts"
import { type Ran, runFile } from "./run.ts"
import { settleRows, type Settled } from "./settled-rows.ts"
import { findUnknown, type Unknown } from "./unknown.ts"
import { keysOf, makeWorld, type World } from "./world.ts"

/** Something that is not there as it was before the file, and which statement took it. */
export type Loss = {
  /** From 1. */
  statement: number
  /** Tables whose rows foreign keys or triggers took, though the statement speaks of another. */
  byReference: boolean
} & (
  | (Fate & { part?: undefined; inWords: boolean })
  | {
      kind: "part"
      table: string
      column: undefined
      part: Part
      /** Whether it is there, and does not work. */
      broken: boolean
      /** Whether a statement drops it by its name. */
      inWords: boolean
    }
)

/** Where each value of made-up rows is when a file has run, and each part of their tables. */
export type Provenance = {
  losses: Loss[]
  /** Rows on which the file fails, so that nothing of it takes effect. */
  troubles: Settled["troubles"]
  /** Why it fails on every row that was made. */
  blocked: Settled["blocked"]
  /** What rows decide that could not be made. */
  unknown: Unknown[]
  /** On no rows: each statement, though one before it failed. */
  onNothing: Ran[]
  /** On the rows on which it runs to its end. */
  onRows: Ran[]
  /** Tables that are gone, and where their rows are. */
  moves: Move[]
  /** The names that tables of before have at the end, by those of then in lower case. */
  names: Map<string, string | undefined>
}

type Observer = {
  start?: (database: ScratchDatabase) => void
  before?: (statement: number, effect: StatementEffect) => void
  after?: (statement: number, effect: StatementEffect) => void
}

/** @param database the schema that the file finds, which is not changed */
export function traceFile(
  database: ScratchDatabase,
  statements: ParsedStatement[],
  observer: Observer = {},
): Provenance {
  using unfilled = database.copy()
  const onNothing = runFile(unfilled, statements, { goOn: true }).steps
  const present = tableNames(database)
  const names = [...new Set(onNothing.flatMap(({ effect }) => effect?.names ?? []))]
  const touched = [...names, ...namedIn(statements, present)].filter((name) => !isOwnTable(name))
  using world = makeWorld({ database, statements, names: touched })
  const fails = (rows: TellingRow[]) => {
    using trial = world.open(rows)
    return runFile(trial, statements).failed
  }
  const first = settleRows(world.rows, fails)
  const meeting = first.blocked
    ? []
    : meetingRows({ database, world, statements, rows: first.rows })
  const settled = meeting.length === 0 ? first : settleRows([...first.rows, ...meeting], fails)
  const troubles = first.troubles
  const { rows, blocked } = settled
  if (blocked !== undefined) {
    const unseen = { losses: [], unknown: [], onRows: [], moves: [], names: new Map() }
    return { ...unseen, troubles, blocked, onNothing }
  }
  const among = present.filter((name) => !isOwnTable(name))
  const {
    run,
    differences,
    moves,
    names: now,
  } = runWatched(world.open(rows), statements, { among, observer })
  const known = knownRows(database, among)
  const literals = literalsOf(statements.map(({ node }) => node))
  const relevant = differences.flatMap((one) => withoutKnown(one, { known, literals }))
  const effects = run.steps.map(({ effect }) => effect)
  const losses = located({ world, rows, statements, among, differences: relevant, effects })
  const filled = new Set(rows.map(({ table }) => table))
  const unknown = findUnknown({ statements, steps: run.steps, losses, filled, present })
  return { losses, troubles, blocked, unknown, onNothing, onRows: run.steps, moves, names: now }
}

/** Tables that a statement names which cannot be compiled before others have run. */
function namedIn(statements: ParsedStatement[], present: string[]): string[] {
  const words = new Set(
    statements.flatMap(({ node, sql }) =>
      node?.type === "InsertStmt" && node.body.type !== "SelectInsertBody"
        ? []
        : sql.toLowerCase().split(/[^\w$\u0080-\uffff]+/),
    ),
  )
  return present.filter((name) => words.has(name.toLowerCase()))
}

type Meeting = {
  database: ScratchDatabase
  world: World
  statements: ParsedStatement[]
  rows: TellingRow[]
}

/** More of one table say nothing new. */
const mostMeeting = 12

/**
 * Rows that have a unique value which the file writes, too: what is in its way is ignored, replaced
 * or updated if the statement or the table says so, and else the file fails.
 */
function meetingRows({ database, world, statements, rows }: Meeting): TellingRow[] {
  const words = /\b(?:replace|ignore|conflict)\b/i
  const schema = database.rows("SELECT sql FROM sqlite_master").map(({ sql }) => String(sql))
  const isMet = (sql: string) => words.test(sql)
  if (!statements.some(({ sql }) => isMet(sql)) && !schema.some(isMet)) return []
  using trial = world.open(rows)
  const before = new Map(readSchema(trial).map(({ name }) => [name, keysOf(trial, name)]))
  const { steps } = runFile(trial, statements)
  const written = new Set([
    ...steps.flatMap(({ effect }) => effect?.writes?.table ?? []),
    ...steps.flatMap(({ effect }) => effect?.byTriggers ?? []),
  ])
  const now = tableNames(trial)
  return [...before].flatMap(([table, keys]) => {
    if (!written.has(table) || !now.includes(table)) return []
    const after = keysOf(trial, table)
    return [...keys].flatMap(([columns, known]) => {
      const former = new Set(known.map((values) => values.join("\n")))
      const fresh = (after.get(columns) ?? []).filter((values) => !former.has(values.join("\n")))
      return fresh.slice(0, mostMeeting).flatMap((values) => {
        const cells = Object.fromEntries(
          columns.split("\n").map((name, at) => [name, values[at] ?? "NULL"]),
        )
        return world.rowsWith(table, cells)
      })
    })
  })
}

type Watching = { among: string[]; observer?: Observer; at?: Set<number> }

function runWatched(
  opened: ScratchDatabase,
  statements: ParsedStatement[],
  { among, observer = {}, at }: Watching,
) {
  using trial = opened
  const watched = watch(trial, among)
  observer.start?.(trial)
  const seen = new Map<number, Difference[]>()
  const run = runFile(trial, statements, {
    before: (statement, effect) => observer.before?.(statement, effect),
    after: (statement, effect) => {
      watched.follow(effect)
      observer.after?.(statement, effect)
      if (at?.has(statement) === true) seen.set(statement, watched.compare().differences)
    },
  })
  return { run, seen, ...watched.compare() }
}

/** Rows that earlier files have put there: what they held stands in those files. */
function knownRows(database: ScratchDatabase, among: string[]): Map<string, Set<string>> {
  const tables = readSchema(database).filter(({ name }) => among.includes(name))
  return new Map(
    tables.map((table) => {
      const { rows } = holdTable(database, table)
      return [table.name, new Set(rows.map(({ cells }) => cells.join("\n")))]
    }),
  )
}

type Judged = Difference & { inWords?: boolean }
type Knowing = { known: Map<string, Set<string>>; literals: Set<string> }

/** Without known rows of tables that have others; and what is said word for word is told apart. */
function withoutKnown(difference: Difference, { known, literals }: Knowing): Judged[] {
  const { fate } = difference
  if (fate === undefined) return [difference]
  const { held } = fate
  const own = known.get(fate.table)
  const made = held.rows.some(({ cells }) => own?.has(cells.join("\n")) !== true)
  const rows = fate.rows.filter(
    (row) => !made || own?.has(held.rows[row]?.cells.join("\n") ?? "") !== true,
  )
  const isSaid = (row: number) => {
    const now = fate.after(row)
    const cells = held.rows[row]?.cells ?? []
    return (
      !held.key.includes(held.columns.indexOf(fate.column ?? "")) &&
      now !== undefined &&
      now !== empty &&
      literals.has(now) &&
      held.uniques.some((key) => key.every((column) => literals.has(cells[column] ?? "")))
    )
  }
  const [said, others] = [rows.filter(isSaid), rows.filter((row) => !isSaid(row))]
  return [
    ...(others.length === 0 ? [] : [{ fate: { ...fate, rows: others }, inWords: false }]),
    ...(said.length === 0 ? [] : [{ fate: { ...fate, rows: said }, inWords: true }]),
  ]
}

type Locating = {
  world: World
  rows: TellingRow[]
  statements: ParsedStatement[]
  among: string[]
  differences: Judged[]
  effects: (StatementEffect | undefined)[]
}

/** Statements after which all is compared; of longer files some, and then those between two. */
const mostComparisons = 12

function located({ differences, ...context }: Locating): Loss[] {
  if (differences.length === 0) return []
  const { length } = context.statements
  const step = Math.ceil(length / mostComparisons)
  const marks = Array.from({ length: Math.ceil(length / step) }, (_, index) => (index + 1) * step)
  const coarse = firstStatements(context, differences, marks)
  const ends = [...new Set(coarse)]
  const between = ends.flatMap((end) => Array.from({ length: step - 1 }, (_, at) => end - at - 1))
  const fine = step === 1 ? coarse : firstStatements(context, differences, [...between, ...ends])
  const { effects } = context
  return differences.map((one, index): Loss => {
    const statement = Math.min(fine[index] ?? length, length)
    const effect = effects[statement - 1]
    if (one.fate === undefined) {
      const { part, broken, inWords } = one
      return {
        kind: "part",
        table: part.table,
        column: undefined,
        part,
        broken,
        inWords,
        statement,
        byReference: false,
      }
    }
    const { fate, inWords = false } = one
    const named = [...(effect?.drops ?? []), effect?.writes?.table ?? ""]
    const byReference =
      effect !== undefined &&
      !named.some((name) => isSameName(name, fate.table)) &&
      [...effect.follows, ...effect.byTriggers].length > 0
    return { ...fate, inWords, statement, byReference }
  })
}

/** For each difference the first of the statements from which on it is always there. */
function firstStatements(
  { world, rows, statements, among }: Omit<Locating, "differences">,
  differences: Judged[],
  marks: number[],
): number[] {
  const at = new Set(marks)
  const { seen } = runWatched(world.open(rows), statements, { among, at })
  const sorted = [...seen].toSorted(([one], [other]) => one - other)
  return differences.map((difference) => {
    const key = keyOf(difference)
    const safe = sorted.findLastIndex(([, found]) => !found.some((one) => keyOf(one) === key))
    return sorted[safe + 1]?.[0] ?? statements.length
  })
}

function keyOf({ fate, part }: Difference): string {
  if (part !== undefined) return `${part.kind} ${part.name}`
  return `${fate.table}.${fate.kind === "row" ? "" : fate.column}`
}
