import { judgeAfter, refusePending } from "@accounts-stack/d1-migrations"
import { sqliteD1 } from "@accounts-stack/d1-migrations/d1"
import { misfitsOf, newMisfits } from "@accounts-stack/d1-migrations/schema"
import { findObjections } from "@accounts-stack/d1-migrations/testing/find-objections"
import {
  advance,
  isRefused,
  lintScript,
  openScratchDatabase,
  readSchema,
} from "@accounts-stack/d1-migrations/testing/internals"
import { expect, test } from "vitest"

import { schemaUse } from "../../../infra/schema-use.ts"
import { migrationsDirectory, root } from "../base/root.ts"
import { readRows } from "../cli/rehearsal/given-rows.ts"
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
  // A first `up` applies all files: later ones add what the first ones lack.
  const judged = judgeAfter([], files)
  expect(judged.flatMap((judgedFile) => newMisfits(tables, judgedFile))).toEqual([])
  const users = {
    live: () => Promise.reject(new Error("no version is live")),
    own: use,
    protectLive: true,
  }
  const log = { info: () => undefined, warn: () => undefined }
  await refusePending({ judged, complete: true, guarded: false }, protectUsers(users, log))
  const wide = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [`t${index}`, ["a".repeat(60)]]),
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
  const losses = judged.flatMap(({ file, losses: fileLosses }) =>
    fileLosses.map(({ lines }) => [file.name, lines]),
  )
  const fileNames = new Set(losses.map(([name]) => name))
  expect([...fileNames]).toEqual(
    expect.arrayContaining(["0003_open_lists.sql", "0004_attempts_and_audit.sql"]),
  )
})

test("the rows that the project gives for a rehearsal fit its schema", async () => {
  using d1 = sqliteD1()
  for (const { sql } of await readMigrations(migrationsDirectory)) await d1.change(sql)
  const rows = readRows(root)
  expect(rows).toContain("INSERT INTO user")
  await d1.change(rows)
  const [sessions] = await d1.query(["SELECT id FROM session"])
  expect(sessions).toHaveLength(3)
})
