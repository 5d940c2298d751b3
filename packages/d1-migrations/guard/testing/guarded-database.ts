import { parseMigration } from "../../files/migration-files.ts"
import { judgeFile } from "../../judgement/judgement.ts"
import { createTables, migrationScript } from "../../ledger/ledger.ts"
import { usualNames } from "../../names.ts"
import { scratchDatabaseOf } from "../../schema/scratch-database.ts"
import { startLocalD1 } from "../../testing/local-d1.ts"
import { guardOf } from "../guard.ts"
import { guardedTables } from "../guarded-tables.ts"
import { guardMessage } from "../refusal-statement.ts"

const record = { bookmark: "b", commit: "c", class: "expand", oldestWorker: undefined }

/** Databases that get files with the guard only, even files that the judgement would refuse. */
export async function startGuardedDatabases() {
  const account = await startLocalD1()
  let databases = 0

  async function setUp(schema: string, rows = 0) {
    databases += 1
    const databaseId = await account.createDatabase(`guarded-${databases}`)
    const database = account.open(databaseId)
    await database.askAll(createTables(usualNames))
    await account.query(databaseId, schema)
    return {
      query: (sql: string) => account.query(databaseId, sql),
      content: async (table: string) => account.query(databaseId, `SELECT * FROM ${table}`),
      /** @returns the message of the guard or of another failure; undefined if the file is applied */
      async send(sql: string): Promise<string | undefined> {
        const migration = parseMigration("0001_change.sql", Buffer.from(sql))
        const { objects, schema: sum } = await database.moment()
        using scratch = scratchDatabaseOf(objects)
        const judged = judgeFile(scratch, migration)
        const sizes = judged.before.map(({ name: table }) => {
          return { table, rows, bytes: 0 }
        })
        const guard = guardOf(judged, guardedTables(judged), sizes)
        const moment = { head: undefined, schema: sum }
        return database
          .change(migrationScript({ names: usualNames, migration, record, guard, moment }))
          .then(
            () => undefined,
            (error: unknown) => guardMessage(String(error)) ?? `other: ${String(error)}`,
          )
      },
    }
  }
  return { setUp, [Symbol.asyncDispose]: () => account[Symbol.asyncDispose]() }
}
