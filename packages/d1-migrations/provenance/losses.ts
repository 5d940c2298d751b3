import type { ParsedStatement } from "../lint/parsed-script.ts"
import { findTable, type ForeignKey, isSameName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import type { TellingRow } from "../seed/telling-rows.ts"
import { exampleOf, type Fate } from "./fates.ts"
import { empty } from "./held-tables.ts"
import { type Difference, watch, type Watched } from "./moment.ts"
import type { Part } from "./parts.ts"
import { runFile } from "./run.ts"
import type { World } from "./world.ts"

/** Something that is not there as it was before the file, and which statement took it. */
export type Loss = {
  /** From 1. */
  statement: number
  /** Tables whose rows foreign keys or triggers took, though the statement speaks of another. */
  byReference: boolean
  /** Its references to what the statement drops or writes; without one, all that may have taken it. */
  keys: ForeignKey[]
} & (
  | (Fate & {
      part?: undefined
      apart: Apart | undefined
      /** Whether a key took it along with a table that is dropped: such rows are deleted in words, and not declared. */
      isAlong: boolean
    })
  | {
      kind: "part"
      table: string
      column: undefined
      part: Part
      /** Whether it is there, and does not work. */
      broken: boolean
      /** Whether a statement drops it by its name, or `apply` keeps it. */
      isSaid: boolean
    }
)

/** Sees what is watched, and then each statement before it runs. */
export type Observe = (watched: Watched) => (statement: number, effect: StatementEffect) => void

export function runWatched(
  opened: ScratchDatabase,
  statements: ParsedStatement[],
  { among, observe, at }: { among: string[]; observe?: Observe | undefined; at?: Set<number> },
) {
  using trial = opened
  const watched = watch(trial, among)
  const seen = new Map<number, Difference[]>()
  const run = runFile(trial, statements, {
    before: observe?.(watched),
    after: (statement, effect) => {
      watched.follow(effect, statements[statement - 1])
      if (at?.has(statement) === true) seen.set(statement, watched.compare().differences)
    },
  })
  return { run, seen, ...watched.compare() }
}

/**
 * Rows of which the request alone can tell whether there are any: files name them, by their keys or
 * whole, or they hold a value that the column's type is not for.
 */
type Apart = "said" | "type"

export type Judged = Difference & { apart?: Apart | undefined }
type Locating = {
  world: World
  rows: TellingRow[]
  statements: ParsedStatement[]
  among: string[]
  before: Table[]
  differences: Judged[]
  effects: (StatementEffect | undefined)[]
  /** Whether a table of before is there at the end. */
  stays: (table: string) => boolean
}

/** Statements of one run after which all is compared. */
const mostComparisons = 12

export function located({ differences, effects, before, stays, ...context }: Locating): Loss[] {
  const ends = firstStatements(context, differences, effects)
  return differences.map((one, index): Loss => {
    const statement = ends[index] ?? context.statements.length
    const effect = effects[statement - 1]
    if (one.fate === undefined) {
      const { table } = one.part
      const common = { column: undefined, byReference: false, keys: [], table, statement }
      return { kind: "part", ...common, ...one }
    }
    const { fate, apart } = one
    const named = [...(effect?.drops ?? []), effect?.writes?.table ?? ""]
    const byReference =
      effect !== undefined &&
      !named.some((name) => isSameName(name, fate.table)) &&
      [...effect.follows, ...effect.byTriggers].length > 0
    const keys = keysTo(effect?.drops[0] ?? effect?.writes?.table ?? "", fate, before)
    const isTaken = fate.kind === "row" || (exampleOf(fate)[1] ?? empty) === empty
    const isAlong = byReference && stays(fate.table) && effect.drops.length > 0 && isTaken
    return { ...fate, apart, isAlong, statement, byReference, keys }
  })
}

function keysTo(cause: string, { table, column }: Fate, before: Table[]): ForeignKey[] {
  const keys = findTable(before, table)?.foreignKeys ?? []
  const own = column === undefined ? keys : keys.filter((key) => key.columns.includes(column))
  const direct = own.filter(({ parent }) => isSameName(parent, cause))
  return direct.length > 0 ? direct : own
}

/** For each difference the first of the statements from which on it is always there. */
function firstStatements(
  {
    world,
    rows,
    statements,
    among,
  }: Omit<Locating, "differences" | "effects" | "before" | "stays">,
  differences: Judged[],
  effects: Locating["effects"],
): number[] {
  /** Statements after which it is not there, and after which it is. */
  let spans = differences.map(({ fate }) => {
    const only = fate === undefined ? undefined : onlyStatement(effects, fate.table)
    return only === undefined ? { from: 0, to: statements.length } : { from: only - 1, to: only }
  })
  while (spans.some(({ from, to }) => to - from > 1)) {
    const marks = new Set(
      spans.flatMap(({ from, to }) => {
        const step = Math.ceil((to - from) / mostComparisons)
        const length = Math.ceil((to - from) / step) - 1
        return Array.from({ length }, (_, index) => from + (index + 1) * step)
      }),
    )
    const { seen } = runWatched(world.open(rows), statements, { among, at: marks })
    const found = [...seen].map(([at, some]) => ({ at, keys: new Set(some.map(keyOf)) }))
    spans = spans.map(({ from, to }, index) => {
      const difference = differences[index]
      const key = difference === undefined ? "" : keyOf(difference)
      const within = found.filter(({ at }) => at > from && at < to)
      const last = within.findLastIndex(({ keys }) => !keys.has(key))
      return { from: within[last]?.at ?? from, to: within[last + 1]?.at ?? to }
    })
  }
  return spans.map(({ to }) => to)
}

/** The one that touches the rows of a table, where no other one so much as names it. */
function onlyStatement(effects: Locating["effects"], table: string): number | undefined {
  const naming = effects.flatMap((effect, index) =>
    effect?.names.includes(table) === true ? [{ effect, number: index + 1 }] : [],
  )
  const [only] = naming
  if (only === undefined || naming.length > 1) return undefined
  const { drops, writes, follows, byTriggers } = only.effect
  const touched = [...drops, writes?.table, ...follows, ...byTriggers]
  return touched.includes(table) ? only.number : undefined
}

export function keyOf({ fate, part }: Difference): string {
  if (part !== undefined) return `${part.kind} ${part.name}`
  return `${fate.table}.${fate.column ?? fate.kind}`
}
