import { parseMigration } from "../../files/migration-files.ts"
import { judgeFile } from "../../judgement/judgement.ts"
import { migrationScript } from "../../ledger/ledger.ts"
import { usualNames } from "../../names.ts"
import { openScratchDatabase } from "../../schema/scratch-database.ts"
import { splitStatements } from "../../sql/statements.ts"
import { guardOf } from "../guard.ts"
import { guardedTables } from "../guarded-tables.ts"

const record = { bookmark: "b", commit: "c", class: "expand", oldestWorker: undefined }
const moment = { head: undefined, schema: 0 }
/** Two rows and the time that it took. */
const ofEveryFile = 3

/** Counts the statements that the guard adds to the request of a file, without those of every file. */
export function moreStatements(sql: string): number {
  using database = openScratchDatabase()
  database.exec(
    "CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT UNIQUE, n INTEGER); CREATE TABLE session (user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
  )
  const migration = parseMigration("0001_change.sql", Buffer.from(sql))
  const judged = judgeFile(database, migration)
  const guard = guardOf(judged, guardedTables(judged), [])
  const script = migrationScript({ names: usualNames, migration, record, guard, moment })
  return splitStatements(script).length - migration.statements.length - ofEveryFile
}
