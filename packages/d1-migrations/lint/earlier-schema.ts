import { failureOf, messageOf } from "../failure.ts"
import { openScratchDatabase, type ScratchDatabase } from "../schema/scratch-database.ts"
import { splitStatements } from "../sql/statements.ts"

/** A string is the schema that a file is judged on: it has no name. */
export type EarlierFile = string | { name: string; sql: string }

/** Tables and indexes in a dump that cannot be created: SQLite makes its own, and D1 hides its own. */
const internal = /^\s*CREATE\s+(?:TABLE|INDEX)\s+(?:IF\s+NOT\s+EXISTS\s+)?["'`[]?(?:sqlite_|_cf_)/i

/** A row that is not here decides, and D1 had it: the schema is the same without. */
const ofRows = /constraint failed|datatype mismatch|not authorized/

/** A schema, and what was wrong with the first statement that failed; all others have run. */
type SchemaState = { database: ScratchDatabase; problem?: string | undefined }

/** The schema that files leave one after the other. */
export function schemaAfter(files: EarlierFile[]): SchemaState {
  const database = openScratchDatabase()
  return { database, problem: problemAfter(files, database) }
}

/** The same for lists that each begin with the previous list: no file is read twice. */
export function followSchema(): (files: EarlierFile[]) => SchemaState {
  let followed: string[] = []
  let current: SchemaState = { database: openScratchDatabase() }
  return (files) => {
    const texts = files.map((file) => JSON.stringify(file))
    if (!followed.every((text, index) => text === texts[index])) {
      current.database[Symbol.dispose]()
      current = { database: openScratchDatabase() }
      followed = []
    }
    const problem = problemAfter(files.slice(followed.length), current.database)
    current.problem ??= problem
    followed = texts
    return { ...current, database: current.database.copy() }
  }
}

function problemAfter(files: EarlierFile[], database: ScratchDatabase): string | undefined {
  // Rows that a file adds may refer to some that are not here.
  database.exec("PRAGMA foreign_keys = OFF; BEGIN")
  const problems = files.flatMap((file) => problemsOf(database, file))
  database.exec("COMMIT; PRAGMA foreign_keys = ON")
  return problems[0]
}

/** Goes on after a statement that does not run here: an applied file cannot be corrected. */
function problemsOf(database: ScratchDatabase, file: EarlierFile): string[] {
  const { name, sql } = typeof file === "string" ? { name: "the schema", sql: file } : file
  try {
    return splitStatements(sql).flatMap((statement) => {
      if (internal.test(statement.sql)) return []
      const reason = failureOf(() => database.prepare(statement.sql).run())
      if (reason === undefined || ofRows.test(reason)) return []
      return [`${name}, line ${statement.line}, does not run here: ${reason}`]
    })
  } catch (error) {
    return [`${name} cannot be read: ${messageOf(error)}`]
  }
}
