import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

import { Failure, messageOf } from "../failure.ts"
import { earlierFiles, readScript } from "../files/earlier-files.ts"
import { describeFolder, type Folder, listMigrations } from "../files/list-migrations.ts"
import { notesName, withDeclared } from "../files/migration-files.ts"
import { type Names, usualNames } from "../names.ts"
import { type EarlierFile, followSchema, schemaAfter } from "./earlier-schema.ts"
import { isRefused, lintScript, type Verdict } from "./lint.ts"

export type FileReport = Verdict & { file: string; refused: boolean }

/** The project that a file belongs to. */
export type ProjectContext = {
  /** A file of CREATE statements with the schema before the files. */
  schema?: string | undefined
  /** The folder of the project's migrations; a file elsewhere is read with its own folder. */
  folder?: Folder
  names?: Names
}

/** The paths of all migrations in a folder. @throws USAGE when there is none */
export function listFiles(folder: Folder): string[] {
  const names = listMigrations(folder)
  if (names.length > 0) return names.map((name) => join(folder.directory, name))
  throw new Failure("USAGE", `There are no migrations in ${describeFolder(folder)}`)
}

/** @throws USAGE naming a file that cannot be read, or a schema that SQLite does not take */
export function lintFiles(
  files: string[],
  { schema, folder, names = usualNames }: ProjectContext = {},
): FileReport[] {
  const base = schema === undefined ? undefined : readSchemaFile(schema)
  const schemaOf = followSchema()
  return files.map((file, index) => {
    const sql = readScript(file)
    const precedingFiles = files.slice(0, index)
    // The given schema is that before the first file; each further file starts from the previous one.
    const earlier =
      base === undefined
        ? history({ file, given: precedingFiles, folder })
        : [base, ...precedingFiles.map(readNamed)]
    try {
      const verdict = lintScript(
        { sql, declared: declaredFor(file, sql, names), earlier, names },
        schemaOf,
      )
      return { file, refused: isRefused(verdict), ...verdict }
    } catch (error) {
      return { file, refused: true, outcome: "fails", unknown: [], findings: [unreadable(error)] }
    }
  })
}

function declaredFor(file: string, sql: string, names: Names): string {
  const notes = notesName(file)
  return notes !== file && existsSync(notes) ? withDeclared(sql, readScript(notes), names) : sql
}

type HistoryInput = { file: string; given: string[]; folder: Folder | undefined }

/** Files without a number keep the order of the command line. */
function history({ file, given, folder }: HistoryInput): EarlierFile[] | undefined {
  const numbered = earlierFiles(resolve(file), folder)
  if (numbered !== undefined) return numbered.map(readNamed)
  const directory = dirname(resolve(file))
  const before = given.filter((path) => dirname(resolve(path)) === directory)
  return before.length === 0 ? undefined : before.map(readNamed)
}

export function readSchemaFile(schema: string): EarlierFile {
  const file = readNamed(schema)
  const { database, problem } = schemaAfter([file])
  database[Symbol.dispose]()
  if (problem === undefined) return file
  const message = `${problem}. Nothing can be judged on this schema: correct it, or give the files before instead.`
  throw new Failure("USAGE", message)
}

export function readNamed(file: string) {
  return { name: file, sql: readScript(file) }
}

/** A quote, comment or trigger that never ends, which swallows the rest of the file. */
function unreadable(error: unknown): Verdict["findings"][number] {
  const message = messageOf(error)
  const line = Number(/^line (\d+)/.exec(message)?.[1] ?? 1)
  const rewrite = / never ends?| never reaches/.test(message) ? "Close it." : "Correct it."
  return { rule: "fails", level: "error", statement: 1, line, column: 1, message, rewrite }
}
