import { messageOf } from "../../../failure.ts"
import { findHolder, readFormer, readHeldRows } from "../rehearsal/held-rows.ts"
import { followTables } from "../rehearsal/live-tables.ts"
import { type Rehearsal, rehearse } from "../rehearsal/rehearsal.ts"
import { isSameName } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { seedRows } from "../rehearsal/seed-rows.ts"
import type { StatementEffect } from "../rehearsal/statement-effect.ts"
import { type ParsedStatement, parseScript } from "./parsed-script.ts"
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
  const tables = followTables(database)
  const former = readFormer(database, tables)
  const tracked = former
    .filter(({ row }) => row !== undefined)
    .map((row) => ({ row, presentAfter: 0 }))
  let rows = readHeldRows(database)
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
    const moment = { schema: now, tables, former, rows }
    for (const one of tracked) {
      if (findHolder(moment, one.row) !== undefined) one.presentAfter = number
    }
    ran.push(step)
  }
  const missing = tracked
    .filter(({ presentAfter }) => presentAfter < statements.length)
    .map(({ row, presentAfter }) => ({ table: row.name, statement: presentAfter + 1 }))
  const dropped = tracked.flatMap(({ row: { table } }) =>
    table.dropped && tables.successor(table) === undefined ? [table] : [],
  )
  return { ran, missing, dropped }
}
