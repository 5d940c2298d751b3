import { messageOf } from "../../../failure.ts"
import type { Migration } from "../migration-files.ts"
import type { ScratchDatabase } from "./scratch-database.ts"

/** Applies a file to the schema, for the files after it. Undefined when every statement passes. */
export function advance(
  database: ScratchDatabase,
  file: Migration,
): { statement: number; message: string } | undefined {
  database.exec("BEGIN")
  for (const [index, { sql }] of file.statements.entries()) {
    try {
      database.prepare(sql).run()
    } catch (error) {
      database.exec("ROLLBACK")
      return { statement: index + 1, message: messageOf(error) }
    }
  }
  try {
    database.exec("COMMIT")
    return undefined
  } catch (error) {
    database.exec("ROLLBACK")
    return { statement: file.statements.length, message: messageOf(error) }
  }
}
