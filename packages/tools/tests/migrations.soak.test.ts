import { applyMigrations } from "@accounts-stack/d1-migrations"
import type { Database } from "@accounts-stack/d1-migrations/d1"
import { seededRandom } from "@accounts-stack/local/seeded-random"
import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { Failure, messageOf } from "../base/failure.ts"
import { createApi } from "../deploy/api.ts"
import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { openDatabase, parseMigration } from "../environment/own-names.ts"
import { type RandomMigration, randomMigration } from "./testing/soak/random-migration.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 1000 : 100
const seed = Number(process.env["SOAK_SEED"] ?? 1)
const atOnce = 8

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
afterAll(() => cloudflare[Symbol.asyncDispose]())

const file = "0001_change.sql"
const Row = z.object({ id: z.string(), a: z.string().nullable(), ref: z.string().nullable() })
type Rows = Map<string, z.infer<typeof Row>[]>
const log = { info: () => undefined, warn: () => undefined }

type Interruption = "nothing" | "killed" | "lost"

/** Ends one of the calls before or after it takes effect, as a kill or a lost answer does. */
function interrupt(
  database: Database,
  { how, at, after }: { how: Interruption; at: number; after: boolean },
): Database {
  let calls = 0
  const wrap = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    calls += 1
    if (calls !== at || how === "nothing") return call()
    if (after) await call()
    if (how === "killed") throw new Error("killed")
    throw new Failure("API_FAILED", "no answer", { facts: { lost: true } })
  }
  return {
    ...database,
    askAll: (statements) => wrap(() => database.askAll(statements)),
    ask: (sql) => wrap(() => database.ask(sql)),
    change: (sql) => wrap(() => database.change(sql)),
    bookmark: () => wrap(() => database.bookmark()),
    applied: () => wrap(() => database.applied()),
    ledger: () => wrap(() => database.ledger()),
    objects: () => wrap(() => database.objects()),
    moment: () => wrap(() => database.moment()),
  }
}

async function contentOf(databaseId: string, { tables }: RandomMigration) {
  const content = tables.map(async ({ name }) => {
    const rows = await account.query(databaseId, `SELECT * FROM ${name}`).catch(() => [])
    return [name, rows.map((row) => Row.parse(row))] as const
  })
  const schema = await account.query(
    databaseId,
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '%migrations%' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
  )
  return { rows: new Map(await Promise.all(content)), schema }
}

/** Rows and values that the change lost beyond what the file declares. */
function undeclaredLosses({ declared }: RandomMigration, before: Rows, after: Rows): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = new Map(after.get(table)?.map((row) => [row.id, row]))
    const lost = rows.filter(({ id }) => !now.has(id)).length
    const emptied = rows.filter(
      ({ id, ref }) => ref !== null && now.has(id) && now.get(id)?.ref === null,
    ).length
    const changed = rows.filter(({ id, a }) => now.has(id) && now.get(id)?.a !== a).length
    const mayLose = declared.loses.get(table) ?? 0
    const mayEmpty = mayLose + (declared.empties.get(table) ?? 0)
    const checks: [boolean, string][] = [
      [lost > mayLose, `${table} lost ${lost} rows`],
      [emptied > mayEmpty, `${table}.ref lost ${emptied} values`],
      // A table that may lose rows may lose one and gain another of its name.
      [changed > mayLose, `${table}.a changed in ${changed} rows`],
    ]
    return checks.filter(([isLost]) => isLost).map(([, words]) => words)
  })
}

async function run(number: number) {
  const random = seededRandom(seed * 10_000 + number)
  const migration = randomMigration(random)
  const databaseId = await account.createDatabase(`soak-${number}`)
  await account.query(databaseId, `CREATE TABLE marker (x INTEGER); ${migration.setUp}`)
  const api = createApi({ baseUrl: cloudflare.api, token: cloudflare.token })
  const database = openDatabase({ api, accountId: cloudflare.accountId, databaseId })
  const files = [parseMigration("0000_first.sql", Buffer.from("SELECT 1;"))]
  await applyMigrations({ database, files, log })
  files.push(parseMigration(file, Buffer.from(migration.sql)))
  const before = await contentOf(databaseId, migration)

  const how = (["nothing", "killed", "killed", "lost"] as const)[Math.floor(random() * 4)] ?? "lost"
  const interrupted = interrupt(database, {
    how,
    at: 1 + Math.floor(random() * 16),
    after: random() < 0.5,
  })
  const attempts: string[] = []
  for (const attempted of [interrupted, database]) {
    const outcome = await applyMigrations({ database: attempted, files, log }).then(
      () => "applied",
      (error: unknown) => (error instanceof Failure ? error.code : messageOf(error)),
    )
    const after = await contentOf(databaseId, migration)
    const applied = await database.applied()
    const marks = await account.query(databaseId, "SELECT count(*) AS marks FROM marker")
    const isApplied = applied.some(({ name }) => name === file)
    const context = { number, sql: migration.sql, how, outcome }
    expect({ ...context, marks }).toEqual({ ...context, marks: [{ marks: isApplied ? 1 : 0 }] })
    expect({ ...context, complete: applied.every(({ sha256 }) => sha256 !== undefined) }).toEqual({
      ...context,
      complete: true,
    })
    const losses = undeclaredLosses(migration, before.rows, after.rows)
    expect({ ...context, losses }).toEqual({ ...context, losses: [] })
    const changed = isApplied ? before : after
    expect({ ...context, ...changed }).toEqual({ ...context, ...before })
    expect([context, outcome !== "applied" || isApplied]).toEqual([context, true])
    attempts.push(isApplied ? "applied" : outcome)
  }
  return attempts
}

test(`${runs} random migrations under faults lose no undeclared row, and are applied once or not at all`, async () => {
  const outcomes: string[] = []
  for (let number = 0; number < runs; number += atOnce) {
    const numbers = Array.from(
      { length: Math.min(atOnce, runs - number) },
      (_, index) => number + index,
    )
    const results = await Promise.all(numbers.map(run))
    outcomes.push(...results.map(([, last = ""]) => last))
  }
  const counts = Map.groupBy(outcomes, (outcome) => outcome)
  expect([...counts.keys()].toSorted()).toEqual([
    "MIGRATION_FAILED",
    "MIGRATION_REFUSED",
    "applied",
  ])
  for (const [, runsOfKind] of counts) expect(runsOfKind.length).toBeGreaterThan(runs / 50)
}, 3_600_000)
