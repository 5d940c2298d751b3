import { expect, test } from "vitest"

import { judgeFile } from "../classification/judgement.ts"
import { parseMigration } from "../files/migration-files.ts"
import { migrationScript } from "../ledger/ledger.ts"
import { usualNames } from "../names.ts"
import { openScratchDatabase } from "../schema/scratch-database.ts"
import { splitStatements } from "../sql/statements.ts"
import { guardOf } from "./guard.ts"
import { guardedTables, renumberedTables } from "./guarded-tables.ts"

const record = { bookmark: "b", commit: "c", class: "expand", oldestWorker: undefined }
const moment = { head: undefined, schema: 0 }
/** Two rows and the time that it took. */
const ofEveryFile = 3

/** Statements of the request with a file beyond its own and those of every file. */
function moreStatements(sql: string): number {
  using database = openScratchDatabase()
  database.exec(
    "CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT UNIQUE, n INTEGER); CREATE TABLE session (user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
  )
  const migration = parseMigration("0001_change.sql", Buffer.from(sql))
  const judged = judgeFile(database, migration)
  const [tables, renumbered] = [guardedTables(judged), renumberedTables(judged)]
  const guard = guardOf({
    file: migration,
    tables,
    renumbered,
    sizes: [],
    sidecar: usualNames.sidecar,
  })
  const script = migrationScript({ names: usualNames, migration, record, guard, moment })
  return splitStatements(script).length - migration.statements.length - ofEveryFile
}

test.each([
  "CREATE TABLE post (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
  "ALTER TABLE user ADD COLUMN image TEXT;",
  "ALTER TABLE user ADD COLUMN plan TEXT NOT NULL DEFAULT 'free';",
  "CREATE INDEX user_n ON user (n); CREATE UNIQUE INDEX session_user ON session (user_id);",
  "CREATE VIEW mails AS SELECT email FROM user;",
  "CREATE TRIGGER t AFTER INSERT ON user BEGIN UPDATE user SET n = 0 WHERE id = NEW.id; END;",
  "INSERT INTO user (id) VALUES ('seed');",
  "CREATE TABLE tag (id TEXT); INSERT INTO tag VALUES ('a'); UPDATE tag SET id = 'b'; DELETE FROM tag; DROP TABLE tag;",
])("not one statement more is sent with %s", (sql) => {
  expect(moreStatements(sql)).toBe(0)
})

test("a file that takes rows or values carries what finds that", () => {
  expect(moreStatements("UPDATE user SET n = 0 WHERE n IS NULL;")).toBe(5)
  expect(moreStatements("INSERT OR IGNORE INTO user (id) VALUES ('seed');")).toBe(0)
  expect(moreStatements("REPLACE INTO user (id) VALUES ('seed');")).toBeGreaterThan(0)
})
