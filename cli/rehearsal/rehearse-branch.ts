import { join } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { applyMigrations } from "../../d1-migrations/apply/apply.ts"
import { type Migration, readMigrations } from "../../d1-migrations/files/migration-files.ts"
import { findPending } from "../../d1-migrations/ledger/history.ts"
import {
  applyPending,
  countRows,
  type FileRun,
} from "../../d1-migrations/rehearsal/pending-files.ts"
import { compareObjects, type ObjectChanges } from "../../d1-migrations/rehearsal/schema-objects.ts"
import { seedOf, type Seed } from "../../d1-migrations/seed/seed.ts"
import type { BaseCommit } from "./base-commit.ts"
import { tryBase, type WorkerVerdict } from "./base-trial.ts"
import type { MeasuredDatabase, ScratchAccount } from "./scratch-account.ts"

/** How often more rows the second run has, which shows what grows with them. */
export const growthFactor = 10

export type BranchRehearsal = {
  /** Commit that the branch comes from. */
  base: string
  /** Rows of each table. */
  rows: number
  /** Empty when the branch adds no file. */
  files: FileRun[]
  /** The same files with `growthFactor` times the rows; empty when one was not applied. */
  grown: FileRun[]
  /** Files after one that was not applied. */
  notRun: string[]
  objects: ObjectChanges
  shortages: Seed["shortages"]
  worker: WorkerVerdict
}

export type Rehearsing = {
  /** Of the repository. */
  root: string
  base: BaseCommit
  rows: number
  /** Whether the base's Worker is tried, too. */
  journey: boolean
  openAccount: () => Promise<ScratchAccount>
  say: (line: string) => void
  /** Ends it between two steps, so that nothing is left behind. */
  signal: AbortSignal
}

/** Applies the branch's files to the base's schema with rows in it, in a real local D1. */
export async function rehearseBranch(rehearsing: Rehearsing): Promise<BranchRehearsal> {
  const { root, base, rows } = rehearsing
  const files = await readMigrations(join(root, "migrations"))
  const pending = pendingFiles(files, base)
  const report: BranchRehearsal = {
    base: base.sha,
    rows,
    files: [],
    grown: [],
    notRun: [],
    objects: { added: [], changed: [], dropped: [] },
    shortages: [],
    worker: { outcome: "not tried", reason: "no file is new" },
  }
  if (pending.length === 0) return report
  rehearsing.say(
    `new since ${base.sha.slice(0, 12)}: ${pending.map(({ name }) => name).join(", ")}`,
  )
  await using account = await rehearsing.openAccount()
  return await rehearsePending(rehearsing, { account, pending, report })
}

/** @throws USAGE when a file of the base was edited, renamed or removed */
function pendingFiles(files: Migration[], base: BaseCommit): Migration[] {
  try {
    return findPending(files, base.migrations).pending
  } catch (error) {
    const message = `The files of ${base.sha.slice(0, 12)} are not the first of migrations/: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

type Prepared = { account: ScratchAccount; pending: Migration[]; report: BranchRehearsal }

async function rehearsePending(
  rehearsing: Rehearsing,
  { account, pending, report }: Prepared,
): Promise<BranchRehearsal> {
  const { base, rows, say, signal } = rehearsing
  const { measured, seed } = await seedDatabase({ account, base, rows, name: "rehearsal" })
  say(`${sum(seed.rows)} rows in ${seed.rows.size} tables`)
  const before = await measured.database.objects()
  signal.throwIfAborted()

  const trial = await tryBase({ ...rehearsing, account, databaseId: measured.database.databaseId })
  await using _ = trial
  signal.throwIfAborted()
  const files = await applyPending({ measured, base: base.migrations, pending })
  for (const { name, outcome } of files) say(`${name} ${outcome}`)
  const applied = files.every(({ outcome }) => outcome === "applied")
  const after = await measured.database.objects()
  const worker = await trial.after(applied)
  signal.throwIfAborted()

  const grown = applied ? await runGrown({ account, base, rows: rows * growthFactor, pending }) : []
  const notRun = pending.slice(files.length).map(({ name }) => name)
  const objects = applied ? compareObjects(before, after) : report.objects
  return { ...report, files, grown, notRun, objects, shortages: seed.shortages, worker }
}

type Seeding = { account: ScratchAccount; base: BaseCommit; rows: number; name: string }

/** A database as a deployment of the base leaves it, with rows in every table. */
async function seedDatabase({ account, base, rows, name }: Seeding) {
  const measured: MeasuredDatabase = await account.createDatabase(name)
  const { database } = measured
  const log = { info: () => {}, warn: () => {} }
  const { migrations: files, sha: commit } = base
  if (files.length > 0) await applyMigrations({ database, files, log, commit })
  const objects = await database.objects()
  const seed = seedOf(objects, rows)
  for (const script of seed.scripts) await database.change(script)
  const counted = await countRows(database, objects)
  for (const [table, wanted] of seed.rows) {
    if (counted.get(table) === wanted) continue
    throw new Error(`${table} has ${counted.get(table)} rows in D1, and ${wanted} in SQLite`)
  }
  return { measured, seed }
}

type Growth = Omit<Seeding, "name"> & { pending: Migration[] }

async function runGrown({ pending, ...seeding }: Growth): Promise<FileRun[]> {
  const { measured } = await seedDatabase({ ...seeding, name: "rehearsal-grown" })
  return applyPending({ measured, base: seeding.base.migrations, pending })
}

function sum(rows: Map<string, number>): number {
  return [...rows.values()].reduce((total, count) => total + count, 0)
}
