import { judgeAfter, refusePending, seedOf } from "@accounts-stack/d1-migrations"
import { misfitsOf, newMisfits } from "@accounts-stack/d1-migrations/schema"
import { findObjections } from "@accounts-stack/d1-migrations/testing/find-objections"
import {
  advance,
  isRefused,
  lintScript,
  openScratchDatabase,
  readSchema,
} from "@accounts-stack/d1-migrations/testing/internals"
import { startLocalD1 } from "@accounts-stack/d1-migrations/testing/local-d1"
import { expect, test } from "vitest"

import { schemaUse } from "../../../infra/schema-use.ts"
import { migrationsDirectory } from "../base/root.ts"
import { protectUsers } from "../deploy/migrations/refusals.ts"
import { parseSchemaUse, writeSchemaUse } from "../deploy/version/schema-use.ts"
import { ownNames, readMigrations } from "../environment/own-names.ts"

test("no migration of this repository loses rows or values", async () => {
  using database = openScratchDatabase()
  expect(findObjections(database, await readMigrations(migrationsDirectory))).toEqual([])
})

test("every migration of this repository applies, one after the other", async () => {
  using database = openScratchDatabase()
  for (const file of await readMigrations(migrationsDirectory)) {
    expect([file.name, advance(database, file)]).toEqual([file.name, undefined])
  }
})

test("what the code uses is in the schema of the migrations, and fits into one variable", async () => {
  using database = openScratchDatabase()
  const files = await readMigrations(migrationsDirectory)
  for (const file of files) advance(database, file)
  const tables = schemaUse()
  expect(Object.keys(tables).length).toBeGreaterThan(10)
  expect(tables["user"]).toEqual(expect.arrayContaining(["id", "email", "plan"]))
  expect(misfitsOf(tables, readSchema(database))).toEqual([])
  const use = { head: files.at(-1)?.name ?? "", tables }
  expect(parseSchemaUse(writeSchemaUse(use))).toEqual(use)
  // As the first `up` of a stack: files that follow add what the first ones lack.
  const judged = judgeAfter([], files)
  expect(judged.flatMap((one) => newMisfits(tables, one))).toEqual([])
  const users = { live: () => Promise.reject(new Error("nobody")), own: use, protectLive: true }
  const log = { info: () => undefined, warn: () => undefined }
  await refusePending({ judged, complete: true, guarded: false }, protectUsers(users, log))
  const wide = Object.fromEntries(
    Array.from({ length: 90 }, (_, one) => [`t${one}`, ["a".repeat(60)]]),
  )
  expect(() => writeSchemaUse({ ...use, tables: wide })).toThrow(
    /Cloudflare takes 5120 in a variable/,
  )
})

test("nor does the lint refuse one, and no name is taken away", async () => {
  const files = await readMigrations(migrationsDirectory)
  for (const [index, { name, sql, declared }] of files.entries()) {
    const earlier = files.slice(0, index).map((file) => file.sql)
    const refused = isRefused(lintScript({ sql, declared, earlier, names: ownNames }))
    expect([name, refused]).toEqual([name, false])
  }
  const judged = judgeAfter([], files)
  expect(judged.flatMap(({ classification }) => classification.breaks)).toEqual([])
  // Checks and references, as the notes beside these files declare.
  expect(
    Object.fromEntries(
      judged.map(({ file, classification }) => [file.name, classification.trial.losses.length]),
    ),
  ).toMatchObject({ "0003_open_lists.sql": 5, "0004_attempts_and_audit.sql": 2 })
})

test("every table gets every row of a seed on D1, the same ones each time", async () => {
  await using d1 = await startLocalD1()
  const database = d1.open(await d1.createDatabase("own-seed"))
  for (const { sql } of await readMigrations(migrationsDirectory)) await database.change(sql)
  const seed = seedOf(await database.objects(), 60)
  for (const script of seed.scripts) await database.change(script)
  const counted = await database.askAll(
    Object.fromEntries([...seed.rows.keys()].map((name) => [name, `SELECT 1 FROM "${name}"`])),
  )
  const counts = Object.values(counted).map((rows) => rows.length)
  expect(new Set(counts)).toEqual(new Set([60]))
  expect(counts.length).toBeGreaterThan(10)
  expect(seed.shortages).toEqual([])
  expect(seedOf(await database.objects(), 60).scripts).toEqual(seed.scripts)
  expect(await database.ask("SELECT DISTINCT role FROM user ORDER BY role")).toEqual([
    { role: "admin" },
    { role: "member" },
    { role: "owner" },
  ])
})

test.each([0, 1, 2, 3])("so does each schema that this project had after file %i", async (last) => {
  using scratch = openScratchDatabase()
  const files = await readMigrations(migrationsDirectory)
  for (const file of files.slice(0, last + 1)) advance(scratch, file)
  const { rows, shortages } = seedOf(scratch.objects(), 40)
  expect({ shortages, counts: new Set(rows.values()) }).toEqual({
    shortages: [],
    counts: new Set([40]),
  })
})
