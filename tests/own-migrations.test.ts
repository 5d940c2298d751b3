import { expect, test } from "vitest"

import { schemaUse } from "../app/schema-use.ts"
import { migrationsDirectory } from "../base/root.ts"
import { judgeAfter } from "../d1-migrations/classification/judgement.ts"
import { readMigrations } from "../d1-migrations/files/migration-files.ts"
import { advance } from "../d1-migrations/provenance/run.ts"
import { readSchema } from "../d1-migrations/schema/schema.ts"
import { openScratchDatabase } from "../d1-migrations/schema/scratch-database.ts"
import { findObjections } from "../d1-migrations/testing/find-objections.ts"
import { refusePending } from "../provider/migrations/refusals.ts"
import { misfitsOf, newMisfits } from "../provider/migrations/schema-fit.ts"
import { parseSchemaUse, writeSchemaUse } from "../provider/version/schema-use.ts"

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
  await refusePending({ judged, complete: true, guarded: false, users, log })
  const wide = Object.fromEntries(
    Array.from({ length: 90 }, (_, one) => [`t${one}`, ["a".repeat(60)]]),
  )
  expect(() => writeSchemaUse({ ...use, tables: wide })).toThrow(
    /Cloudflare takes 5120 in a variable/,
  )
})
