import { applyMigrations } from "../apply/apply.ts"
import type { BeforeSending } from "../apply/refusal.ts"
import { counted } from "../counted.ts"
import { countRows } from "../d1/count-rows.ts"
import type { Database } from "../d1/database.ts"
import type { Migration } from "../files/migration-files.ts"
import { seedOf, type Seed } from "../seed/seed.ts"
import { applyPending, type FileRun, quiet } from "./pending-files.ts"
import { compareObjects, type ObjectChanges } from "./schema-objects.ts"

/** How often more rows the second run has, which shows what grows with them. */
export const growthFactor = 10

export type Rehearsal = {
  /** Rows of each table. */
  rows: number
  files: FileRun[]
  /** The same files with `growthFactor` times the rows; empty when one was not applied. */
  grown: FileRun[]
  /** Files after one that was not applied. */
  notRun: string[]
  objects: ObjectChanges
  shortages: Seed["shortages"]
}

export type Rehearsing = {
  /** The files that the database has. */
  base: Migration[]
  pending: Migration[]
  rows: number
  /** An empty database that nobody else uses; two are asked for. */
  create: (name: string) => Promise<Database>
  say: (line: string) => void
  /** Ends it between two steps. */
  signal: AbortSignal
  /** Reasons of the caller's own, as in a deployment. */
  beforeSending?: BeforeSending
}

/** Applies files to a schema with rows in every table, as a deployment does. */
export async function rehearse(rehearsing: Rehearsing): Promise<Rehearsal> {
  const { base, pending, rows, say, signal, beforeSending } = rehearsing
  const { database, seed } = await seedDatabase(rehearsing, "rehearsal", rows)
  say(`${counted(sum(seed.rows), "row")} in ${counted(seed.rows.size, "table")}`)
  const before = await database.objects()
  signal.throwIfAborted()

  const files = await applyPending({ database, base, pending, beforeSending })
  for (const { name, outcome } of files) say(`${name} ${outcome}`)
  const applied = files.every(({ outcome }) => outcome === "applied")
  const after = await database.objects()
  signal.throwIfAborted()

  return {
    rows,
    files,
    grown: applied ? await runGrown(rehearsing) : [],
    notRun: pending.slice(files.length).map(({ name }) => name),
    objects: compareObjects(before, applied ? after : before),
    shortages: seed.shortages,
  }
}

/** A database as a deployment of the base leaves it, with rows in every table. */
async function seedDatabase({ base, create }: Rehearsing, name: string, rows: number) {
  const database = await create(name)
  if (base.length > 0) await applyMigrations({ database, files: base, log: quiet })
  const objects = await database.objects()
  const seed = seedOf(objects, rows)
  for (const script of seed.scripts) await database.change(script)
  const found = await countRows(database, objects)
  for (const [table, wanted] of seed.rows) {
    if (found.get(table) === wanted) continue
    throw new Error(`${table} has rows in D1: ${found.get(table)}, and in SQLite: ${wanted}`)
  }
  return { database, seed }
}

async function runGrown(rehearsing: Rehearsing): Promise<FileRun[]> {
  const { base, pending, rows, beforeSending } = rehearsing
  const { database } = await seedDatabase(rehearsing, "rehearsal-grown", rows * growthFactor)
  return applyPending({ database, base, pending, beforeSending })
}

function sum(rows: Map<string, number>): number {
  return [...rows.values()].reduce((total, count) => total + count, 0)
}
