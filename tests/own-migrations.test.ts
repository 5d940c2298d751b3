import { expect, test } from "vitest"

import { readMigrations } from "../provider/migrations/migration-files.ts"
import { findRefusals } from "../provider/migrations/rehearsal/refusal.ts"
import { advance } from "../provider/migrations/rehearsal/rehearsal.ts"
import { openScratchDatabase } from "../provider/migrations/rehearsal/scratch-database.ts"
import { migrationsDirectory } from "../root.ts"

test("no migration of this repository takes rows from tables that refer to another", async () => {
  using database = openScratchDatabase()
  expect(findRefusals(database, await readMigrations(migrationsDirectory))).toEqual([])
})

test("every migration of this repository applies, one after the other", async () => {
  using database = openScratchDatabase()
  for (const file of await readMigrations(migrationsDirectory)) {
    expect([file.name, advance(database, file)]).toEqual([file.name, undefined])
  }
})
