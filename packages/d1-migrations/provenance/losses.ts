import type { ParsedStatement } from "../lint/parsed-script.ts"
import { findTable, type ForeignKey, isSameName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import type { TellingRow } from "../seed/telling-rows.ts"
import type { Fate } from "./fates.ts"
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
      /** Whether files name the rows, by their keys or whole. */
      inWords: boolean
      /** Whether a key or a trigger took it along: such rows are deleted in words, and not declared. */
      isAlong: boolean
    })
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

export type Observer = {
  start?: (watched: Watched) => void
  before?: (statement: number, effect: StatementEffect) => void
}

type Watching = {
  among: string[]
  observer?: Observer
  /** Whether all is compared after each statement. */
  isStepwise?: boolean
}

export function runWatched(
  opened: ScratchDatabase,
  statements: ParsedStatement[],
  { among, observer = {}, isStepwise = false }: Watching,
) {
  using trial = opened
  const watched = watch(trial, among)
  observer.start?.(watched)
  const seen: Difference[][] = []
  const run = runFile(trial, statements, {
    before: (statement, effect) => observer.before?.(statement, effect),
    after: (_, effect) => {
      watched.follow(effect)
      if (isStepwise) seen.push(watched.compare().differences)
    },
  })
  return { run, seen, ...watched.compare() }
}

export type Judged = Difference & { inWords?: boolean }
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

export function located({ differences, effects, before, stays, ...context }: Locating): Loss[] {
  const ends = firstStatements(context, differences)
  return differences.map((one, index): Loss => {
    const statement = ends[index] ?? context.statements.length
    const effect = effects[statement - 1]
    if (one.fate === undefined) {
      const { table } = one.part
      const common = { column: undefined, byReference: false, keys: [], table, statement }
      return { kind: "part", ...common, ...one }
    }
    const { fate, inWords = false } = one
    const named = [...(effect?.drops ?? []), effect?.writes?.table ?? ""]
    const byReference =
      effect !== undefined &&
      !named.some((name) => isSameName(name, fate.table)) &&
      [...effect.follows, ...effect.byTriggers].length > 0
    const keys = keysTo(effect?.drops[0] ?? effect?.writes?.table ?? "", fate, before)
    const isTaken = fate.kind === "row" || (fate.example[1] ?? empty) === empty
    const isAlong = byReference && stays(fate.table) && effect.writes?.by !== "delete" && isTaken
    return { ...fate, inWords, isAlong, statement, byReference, keys }
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
  { world, rows, statements, among }: Pick<Locating, "world" | "rows" | "statements" | "among">,
  differences: Judged[],
): number[] {
  if (differences.length === 0) return []
  const { seen } = runWatched(world.open(rows), statements, { among, isStepwise: true })
  const keys = seen.map((some) => new Set(some.map(keyOf)))
  return differences.map((one) => {
    // Of a table that is dropped all rows are gone until another one takes its place.
    const whole = `${one.fate?.table}.`
    const last = keys.findLastIndex((some) => !some.has(keyOf(one)) && !some.has(whole))
    return Math.min(last + 2, statements.length)
  })
}

export function keyOf({ fate, part }: Difference): string {
  if (part !== undefined) return `${part.kind} ${part.name}`
  return `${fate.table}.${fate.kind === "row" ? "" : fate.column}`
}
