import { createCountingDatabase } from "./counting-database.ts"

/** A database that does not answer the statements which a pattern matches, whether sent alone or in a batch. */
export function createFailingDatabase(database: D1Database, refused: RegExp) {
  const { database: failing } = createCountingDatabase(database, async (sql) => {
    if (refused.test(sql)) throw new Error("D1_ERROR: Network connection lost.")
  })
  return failing
}
