import { messageOf } from "../../../failure.ts"
import { followTables } from "../rehearsal/live-tables.ts"
import { type Rehearsal, rehearse } from "../rehearsal/rehearsal.ts"
import { isSameName, readSchema } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { seedRows } from "../rehearsal/seed-rows.ts"
import type { StatementEffect } from "../rehearsal/statement-effect.ts"
import { type ParsedStatement, parseScript } from "./parsed-script.ts"
import { isKept, readHeldRows, trackRows } from "./row-tokens.ts"
import { type Structure, readStructure } from "./structure.ts"

export type Step = ParsedStatement & {
  effect: StatementEffect | undefined
  /** SQLite's or D1's reason when it fails whatever rows there are. */
  failure: string | undefined
  /** Its reason when it fails on a row in every table, and not on none. */
  failureOnRows: string | undefined
  /** The tables just before it. */
  tables: Structure["tables"]
  /** Whether a table holds rows from before the file just before it. */
  holdsRows(table: string): boolean
}

/** What a file does to a schema with a row in every table. */
export type Trial = Rehearsal & {
  script: string
  steps: Step[]
  before: Structure
  after: Structure
  /** Tables whose rows are nowhere at the end, and the statement after which they were gone. */
  missing: { table: string; statement: number }[]
  /** Whether a table was there before the file and is not there, under any name, at the end. */
  isDropped(table: string): boolean
}

type Ran = Pick<Step, "effect" | "tables" | "holdsRows"> & { reason: string | undefined }

export function tryFile(database: ScratchDatabase, script: string): Trial {
  const statements = parseScript(script)
  using empty = database.copy()
  using full = database.copy()
  seedRows(full)
  const before = readStructure(empty)
  const { ran: onNothing } = runAll(empty, statements)
  const { ran, missing, dropped } = runAll(full, statements)
  const file = { name: "", sha256: "", sql: script, statements }
  const judged: Rehearsal =
    statements.length === 0 ? { losses: [], blocked: undefined } : rehearse(database, file)
  return {
    ...judged,
    script,
    before,
    after: readStructure(empty),
    missing,
    isDropped: (table) => dropped.some(({ name }) => isSameName(name, table)),
    steps: statements.map((statement, index) => {
      const { reason: failure, effect } = onNothing[index] ?? {}
      const { reason, tables = [], holdsRows = () => false, effect: found } = ran[index] ?? {}
      const failureOnRows = failure === undefined ? reason : undefined
      const facts = { effect: effect ?? found, failure, failureOnRows, tables, holdsRows }
      return Object.assign(statement, facts)
    }),
  }
}

function runAll(database: ScratchDatabase, statements: ParsedStatement[]) {
  const start = readHeldRows(database)
  const tables = followTables(database)
  const schema = readSchema(database)
  const old = new Set(schema.map(({ name }) => name))
  const tracked = trackRows(schema, start).map((row) => ({
    row,
    live: tables.named(row.table.name),
    presentAfter: 0,
  }))
  const lives = tracked.map(({ live }) => live)
  let rows = start
  let now = readStructure(database).tables
  const ran: Ran[] = []
  database.exec("BEGIN")
  for (const { sql, number } of statements) {
    const held = rows
    const step: Ran = {
      effect: undefined,
      reason: undefined,
      tables: now,
      holdsRows: (name) => held.some(({ table }) => isSameName(table, name)),
    }
    try {
      const { effect, run } = database.prepare(sql)
      step.effect = effect
      run()
      if (effect.changesSchema) {
        tables.look()
        now = readStructure(database).tables
      }
    } catch (error) {
      step.reason = messageOf(error)
    }
    if (step.reason === undefined && step.effect !== undefined) rows = readHeldRows(database)
    for (const one of tracked) {
      const home = one.live && tables.successor(one.live)?.name
      if (isKept(one.row, { rows, home, old })) one.presentAfter = number
    }
    ran.push(step)
  }
  const missing = tracked
    .filter(({ presentAfter }) => presentAfter < statements.length)
    .map(({ row, presentAfter }) => ({ table: row.table.name, statement: presentAfter + 1 }))
  const dropped = lives.flatMap((live) =>
    live?.dropped === true && tables.successor(live) === undefined ? [live] : [],
  )
  return { ran, missing, dropped }
}
