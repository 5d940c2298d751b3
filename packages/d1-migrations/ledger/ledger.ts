import * as z from "zod"

import { type JudgedMoment, schemaSum, whenJudged } from "../apply/judged-moment.ts"
import type { Migration, MigrationFile } from "../files/migration-files.ts"
import type { Guard } from "../guard/guard.ts"
import type { Names } from "../names.ts"
import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

const Named = z.object({ name: z.string() })

/**
 * The columns that the sidecar got one after the other; older databases lack the last ones.
 * `bookmark` is of the moment before the file; `rows_before` is a JSON object of how many
 * rows the tables had that the guard compares, null for files that only add; `oldest_worker` is the head of
 * migrations that a version must at least be built with, null for any; `schema_sum` is of the schema
 * that the file left.
 */
const laterColumns = {
  bookmark: "TEXT",
  git_commit: "TEXT",
  class: "TEXT",
  oldest_worker: "TEXT",
  duration_ms: "INTEGER",
  rows_before: "TEXT",
  schema_sum: "INTEGER",
}

/** Wrangler's statement to the byte, then the table beside it. */
export function createTables({ ledger, sidecar }: Names) {
  return {
    ledger: `CREATE TABLE IF NOT EXISTS "${ledger}"(
\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,
\t\tname       TEXT UNIQUE,
\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`,
    sidecar: `CREATE TABLE IF NOT EXISTS "${sidecar}"(
\tname     TEXT PRIMARY KEY NOT NULL,
\tsha256   TEXT NOT NULL,
${Object.entries(laterColumns)
  .map(([name, type]) => `\t${name} ${type}`)
  .join(",\n")}
)`,
  }
}

/** What is recorded, of the tables that are there. */
export function readLedger({ ledger, sidecar }: Names, tables: string[]) {
  const read = (table: string, order: string) =>
    tables.includes(table)
      ? `SELECT * FROM ${quoteName(table)} ORDER BY ${order}`
      : "SELECT 1 WHERE 0"
  return { ledger: read(ledger, "id"), sidecar: read(sidecar, "name") }
}

type Connection = { ask: (sql: string) => Promise<unknown[]>; names: Names }

/** What brings a sidecar of a former form to today's; empty when it is so already. */
export async function missingColumns({ ask, names: { sidecar } }: Connection): Promise<string> {
  const rows = await ask(`SELECT name FROM temp.pragma_table_info(${literal(sidecar)})`)
  const existing = rows.map((row) => Named.parse(row).name)
  if (existing.length === 0) return ""
  return Object.entries(laterColumns)
    .filter(([name]) => !existing.includes(name))
    .map(([name, type]) => `ALTER TABLE "${sidecar}" ADD COLUMN ${name} ${type};`)
    .join("\n")
}

/** What is recorded of a file beside its checksum and row counts. */
type MigrationRecord = {
  bookmark: string
  commit: string
  class: string
  oldestWorker: string | undefined
}

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/**
 * The migration, its two rows and its guard as one script: all of it takes effect, or nothing. It fails
 * at any other moment than the one on which it was judged.
 */
export function migrationScript(guarded: {
  names: Names
  migration: Migration
  record: MigrationRecord
  guard: Guard | undefined
  moment: JudgedMoment
  /** Whether it only has to find out what the guard refuses, of all files of a run. */
  isTrial?: boolean
}): string {
  const { names, migration, record, guard, moment, isTrial = false } = guarded
  const { ledger, sidecar } = names
  const name = literal(migration.name)
  const { bookmark, commit, class: kind, oldestWorker } = record
  const oldest = oldestWorker === undefined ? "NULL" : literal(oldestWorker)
  const rows =
    Object.keys(guard?.rows ?? {}).length > 0 ? literal(JSON.stringify(guard?.rows)) : "NULL"
  const terminator = migration.statements.at(-1)?.terminated === false ? "\n;" : ""
  return [
    `INSERT INTO "${sidecar}" (name, sha256, bookmark, git_commit, class, oldest_worker, rows_before, duration_ms)
SELECT ${name}, ${literal(migration.sha256)}, ${literal(bookmark)}, ${literal(commit)}, ${literal(kind)}, ${oldest}, ${rows}, ${now}
WHERE ${whenJudged(moment, names)};`,
    ...(guard?.before ?? []),
    `${withChecks(migration, guard)}${terminator}`,
    ...(guard?.after ?? []),
    ...(isTrial ? [] : (guard?.end ?? [])),
    `INSERT INTO "${ledger}" (name)
VALUES (${name});`,
    `UPDATE "${sidecar}" SET duration_ms = ${now} - duration_ms, schema_sum = ${schemaSum(names)} WHERE name = ${name};`,
  ].join("\n")
}

/** The unchanged file with the guard's statements before each DROP TABLE. */
function withChecks({ sql, statements }: Migration, guard: Guard | undefined): string {
  const pieces: string[] = []
  let position = 0
  for (const [index, { start }] of statements.entries()) {
    const checks = guard?.within.get(index + 1) ?? []
    if (checks.length === 0) continue
    pieces.push(sql.slice(position, start), ...checks.map((check) => `${check}\n`))
    position = start
  }
  return [...pieces, sql.slice(position)].join("")
}

export function recordChecksum(file: MigrationFile, { sidecar }: Names): string {
  return `INSERT INTO "${sidecar}" (name, sha256) VALUES (${literal(file.name)}, ${literal(file.sha256)});`
}
