import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { lstat, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

import { messageOf } from "../failure.ts"
import { type Names, usualNames } from "../names.ts"
import { type Statement, splitStatements } from "../sql/statements.ts"
import { listMigrations } from "./list-migrations.ts"

/** The facts that state, plans and the ledger store about a migration. */
export type MigrationFile = { name: string; sha256: string }

export type Migration = MigrationFile & {
  /** The text with \n line endings, which is hashed and sent. */
  sql: string
  statements: Statement[]
  /** The text with the declarations: the file, and the notes beside it, because an applied file never changes. */
  declared: string
  names: Names
}

/** In bytes. D1 rejects longer statements, as documented and tested on workerd 1.20261102.1. */
export const statementLimit = 100_000
/** In bytes. One request sends the whole file, and D1's API stops after 30 s. Import larger data. */
export const fileLimit = 5_000_000

const namePattern = /^(\d{4})_[a-z0-9][a-z0-9_-]*\.sql$/

export type FolderReading = {
  names?: Names
  /** Matches the paths of migrations in the folder. Defaults to the names that wrangler and drizzle-kit use. */
  pattern?: string | undefined
  /** Requires numbers from 0000 without a gap, and no other files. */
  consecutive?: boolean
}

/** Reads the migrations of a folder in order. @throws Error with the name of an invalid file */
export async function readMigrations(
  directory: string,
  { names = usualNames, pattern, consecutive = false }: FolderReading = {},
): Promise<Migration[]> {
  const entries = await readdir(directory).catch((error: unknown) => {
    const message = `${directory} cannot be read, but has to hold the migrations: ${messageOf(error)}`
    throw new Error(message, { cause: error })
  })
  const fileNames = consecutive
    ? entries.filter((name) => !isIgnored(name)).toSorted()
    : listMigrations({ directory, pattern })
  const emptyProblem = fileNames.length === 0 ? "there are no migrations" : undefined
  const problem = consecutive ? nameProblem(fileNames) : emptyProblem
  if (problem !== undefined) throw new Error(`${directory}: ${problem}`)
  return Promise.all(
    fileNames.map(async (name) => {
      const path = join(directory, name)
      // Wrangler skips links.
      if (!(await lstat(path)).isFile()) throw new Error(`${path} is not a regular file`)
      const [bytes, notes] = await Promise.all([
        readFile(path),
        existsSync(notesName(path)) ? readFile(notesName(path), "utf8") : "",
      ])
      const file = parseMigration(name, bytes, { notes, names })
      // In other folders a tool may have created an empty file to start with.
      if (!consecutive || file.statements.length > 0) return file
      throw new Error(`${name} holds no statement: write one`)
    }),
  )
}

/** Returns the name of the notes beside a file. They have declarations for an applied file, which never changes. */
export function notesName(file: string): string {
  return file.replace(/\.sql$/, ".md")
}

/** Adds the declarations in notes to a script. */
export function withDeclared(sql: string, notes: string, { declarations }: Names): string {
  const declared = notes.split("\n").filter((line) => line.startsWith(`-- ${declarations}:`))
  return [sql, ...declared].join("\n")
}

/** Ignores `meta`, where drizzle-kit keeps its snapshots, hidden files, and notes beside the SQL. */
function isIgnored(name: string): boolean {
  return name === "meta" || name.startsWith(".") || name.endsWith(".md")
}

/**
 * Returns the first problem in a list of file names. Numbers start at 0000 without gaps, because a missing number
 * nearly always means a lost or uncommitted file.
 */
export function nameProblem(names: string[]): string | undefined {
  if (names.length === 0) return "there are no migrations; the first is 0000_<name>.sql"
  for (const [index, name] of names.entries()) {
    const number = namePattern.exec(name)?.[1]
    if (number === undefined) {
      return `"${name}" is not a migration's name: NNNN_name.sql, name of a-z, 0-9, "_" and "-"`
    }
    const expected = String(index).padStart(4, "0")
    if (number === expected) continue
    const before = names[index - 1]
    if (before?.startsWith(`${number}_`)) {
      return `"${before}" and "${name}" have the same number; renumber the later file`
    }
    if (number < expected) return `"${name}" is out of order`
    return `${expected} is missing before "${name}"; restore that file or renumber`
  }
  return undefined
}

export function parseMigration(
  name: string,
  bytes: Uint8Array,
  { notes = "", names = usualNames }: { notes?: string | undefined; names?: Names } = {},
): Migration {
  const sql = decode(name, bytes).replaceAll(/\r\n?/g, "\n")
  if (Buffer.byteLength(sql) > fileLimit) {
    throw new Error(`${name} is larger than 5 MB: split it, or load data with an import`)
  }
  const statements = split(name, sql)
  for (const [index, statement] of statements.entries()) {
    if (statement.bytes <= statementLimit) continue
    throw new Error(
      `${name}: statement ${index + 1} (line ${statement.line}) has ${statement.bytes} bytes, ` +
        `D1 takes ${statementLimit}; insert fewer rows at a time`,
    )
  }
  const sha256 = createHash("sha256").update(sql).digest("hex")
  return { name, sha256, sql, statements, declared: withDeclared(sql, notes, names), names }
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    // The decoder removes a byte order mark.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    if (text.includes("\0")) throw new Error("it holds a NUL character")
    return text
  } catch (error) {
    throw new Error(`${name} is not plain UTF-8 text: ${messageOf(error)}; save it as UTF-8`, {
      cause: error,
    })
  }
}

function split(name: string, sql: string): Statement[] {
  try {
    return splitStatements(sql)
  } catch (error) {
    throw new Error(`${name}, ${messageOf(error)}`, { cause: error })
  }
}
