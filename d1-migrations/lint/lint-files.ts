import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"

import { Failure, messageOf } from "../failure.ts"
import { earlierFiles, readScript } from "../files/earlier-files.ts"
import { notesName, withDeclared } from "../files/migration-files.ts"
import { type Names, usualNames } from "../names.ts"
import { type EarlierFile, schemaAfter } from "./earlier-schema.ts"
import { isRefused, lintScript, type Verdict } from "./lint.ts"

export type FileReport = Verdict & { file: string; refused: boolean }

/** @throws USAGE naming a file that cannot be read, or a schema that SQLite does not take */
export function lintFiles(
  files: string[],
  schema: string | undefined,
  names: Names = usualNames,
): FileReport[] {
  const base = schema === undefined ? undefined : readSchemaFile(schema)
  return files.map((file, index) => {
    const sql = read(file)
    const given = files.slice(0, index)
    // The schema is the one before the first file; each of the others finds what those before leave.
    const earlier = base === undefined ? history(file, given) : [base, ...given.map(readNamed)]
    try {
      const verdict = lintScript({ sql, declared: declaredFor(file, sql, names), earlier, names })
      return { file, refused: isRefused(verdict), ...verdict }
    } catch (error) {
      return { file, refused: true, outcome: "fails", unknown: [], findings: [unreadable(error)] }
    }
  })
}

function declaredFor(file: string, sql: string, names: Names): string {
  const notes = notesName(file)
  return notes !== file && existsSync(notes) ? withDeclared(sql, read(notes), names) : sql
}

/** Files without a number are taken in the order in which they are given. */
function history(file: string, given: string[]): EarlierFile[] | undefined {
  const numbered = earlierFiles(resolve(file))
  if (numbered !== undefined) return numbered.map(readNamed)
  const folder = dirname(resolve(file))
  const before = given.filter((one) => dirname(resolve(one)) === folder)
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

function readNamed(file: string) {
  return { name: file, sql: read(file) }
}

function read(file: string): string {
  try {
    return readScript(file)
  } catch (error) {
    throw new Failure("USAGE", `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** A quote, comment or trigger that never ends, which swallows the rest of the file. */
function unreadable(error: unknown): Verdict["findings"][number] {
  const message = messageOf(error)
  const line = Number(/^line (\d+)/.exec(message)?.[1] ?? 1)
  const rewrite = / never ends?| never reaches/.test(message) ? "Close it." : "Correct it."
  return { rule: "fails", level: "error", line, column: 1, message, rewrite }
}
