import { expect, test } from "vitest"

import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { parseMigration } from "../files/migration-files.ts"
import { readMigrationsStatus } from "../ledger/database-status.ts"
import { createTables } from "../ledger/ledger.ts"
import { usualNames } from "../names.ts"
import { applyMigrations } from "./apply.ts"

/** A database after wrangler has applied a file. */
async function appliedByWrangler(script: string) {
  const d1 = sqliteD1()
  const ledger = `${createTables(usualNames).ledger}; INSERT INTO d1_migrations (name) VALUES ('0001_user.sql');`
  await d1.change(`${script}\n${ledger}`)
  const database = openDatabase(d1)
  const warnings: string[] = []
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) }
  const run = async (sql: string) => {
    const files = [parseMigration("0001_user.sql", Buffer.from(sql))]
    const { attention } = await readMigrationsStatus(database, files)
    await applyMigrations({ database, files, log })
    const [applied] = await database.applied()
    return { attention, said: warnings.splice(0), sha256: applied?.sha256 }
  }
  return { run, [Symbol.dispose]: () => d1[Symbol.dispose]() }
}

const user = "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);"

test("a file that another tool applied is recorded while the schema is what it makes", async () => {
  using database = await appliedByWrangler(`${user} INSERT INTO user VALUES ('u1', 'Ada');`)
  const { attention, said, sha256 } = await database.run(user)
  expect(attention).toEqual([])
  expect(said).toEqual([expect.stringContaining("checksum recorded as the file is now")])
  expect(sha256).toMatch(/^[0-9a-f]{64}$/)
})

test("a file that was edited since is reported with what the schema lacks, and not recorded", async () => {
  using database = await appliedByWrangler(user)
  const edited = await database.run(`${user} ALTER TABLE user ADD COLUMN age INTEGER;`)
  const difference = expect.stringMatching(/^0001_user.sql: [^]*only in the files: column user.age/)
  expect(edited).toEqual({ attention: [difference], said: [difference], sha256: undefined })
  // A restored file is recorded.
  expect(await database.run(user)).toMatchObject({ attention: [], sha256: expect.any(String) })
})
