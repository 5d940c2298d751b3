import * as z from "zod"

import type { Migration, MigrationFile } from "../files/migration-files.ts"
import type { Guard } from "../guard/guard.ts"
import { momentMark, selectFailure } from "../guard/refusal-statement.ts"
import type { Names } from "../names.ts"
import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

/**
 * Columns that were added to the sidecar later; older databases lack some of them. `bookmark` was taken before the
 * file. `oldest_worker` is the newest migration that a compatible version must know; null means any version.
 * `rows_before` is a JSON object with the row counts of the compared tables; null for files that only add.
 * `schema_sum` is the sum of the schema after the file.
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

/** Returns the statements that create both tables. The ledger's is byte for byte wrangler's. */
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

const LedgerRow = z.object({ name: z.string(), applied_at: z.string().nullish() })
/** Older databases have only the first two columns. */
const SidecarRow = z.object({
  name: z.string(),
  sha256: z.string(),
  bookmark: z.string().nullish(),
  class: z.string().nullish(),
  oldest_worker: z.string().nullish(),
  rows_before: z.string().nullish(),
})
type SidecarRow = z.infer<typeof SidecarRow>

export type RecordedMigrations = {
  /** The rows of the ledger in order of application. `appliedAt` is in UTC, in SQLite's format. */
  applied: {
    name: string
    appliedAt: string | undefined
    /** The row of the sidecar; undefined if another tool applied the migration. */
    record: SidecarRow | undefined
  }[]
  /** Rows of the sidecar without a row in the ledger, for example after a manual change. */
  orphans: SidecarRow[]
}

/** Returns queries for both tables. The query for a missing table returns no rows. */
export function readLedger({ ledger, sidecar }: Names, tables: string[]) {
  const read = (table: string, order: string) =>
    tables.includes(table)
      ? `SELECT * FROM ${quoteName(table)} ORDER BY ${order}`
      : "SELECT 1 WHERE 0"
  return { ledger: read(ledger, "id"), sidecar: read(sidecar, "name") }
}

/** Joins the rows of both tables by name, even if they disagree. */
export function recordedIn(rows: { ledger: unknown[]; sidecar: unknown[] }): RecordedMigrations {
  const ledger = rows.ledger.map((row) => LedgerRow.parse(row))
  const records = rows.sidecar.map((row) => SidecarRow.parse(row))
  const names = new Set(ledger.map(({ name }) => name))
  return {
    applied: ledger.map(({ name, applied_at: appliedAt }) => ({
      name,
      appliedAt: appliedAt ?? undefined,
      record: records.find((record) => record.name === name),
    })),
    orphans: records.filter(({ name }) => !names.has(name)),
  }
}

type Connection = { ask: (sql: string) => Promise<unknown[]>; names: Names }

/** Returns the statements that add missing columns to an older sidecar; empty if there are none. */
export async function missingColumns({ ask, names: { sidecar } }: Connection): Promise<string> {
  const rows = await ask(`SELECT name FROM temp.pragma_table_info(${literal(sidecar)})`)
  const existing = new Set(rows.map((row) => LedgerRow.parse(row).name))
  if (existing.size === 0) return ""
  return Object.entries(laterColumns)
    .filter(([name]) => !existing.has(name))
    .map(([name, type]) => `ALTER TABLE "${sidecar}" ADD COLUMN ${name} ${type};`)
    .join("\n")
}

/** The ledger and the schema on which a file was judged. */
export type JudgedMoment = {
  /** The newest name in the ledger; undefined if it is empty. */
  head: string | undefined
  /** The sum of the schema. "as recorded" means the sum that the sidecar has for `head`. */
  schema: number | "as recorded"
}

/**
 * Returns SQL that sums up a schema in a number, because D1 has no hash function. The sum depends on each character
 * and its position. It is exact in a JavaScript number for up to nine thousand objects.
 */
export function schemaSum({ ledger, sidecar }: Names): string {
  return `(SELECT coalesce(sum(number * number), 0) FROM (
SELECT (WITH RECURSIVE place (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM place WHERE i < length(object.text))
  SELECT sum(i * unicode(substr(object.text, i, 1))) FROM place) % 999983 AS number
FROM (SELECT name || ' ' || sql AS text FROM sqlite_master WHERE sql IS NOT NULL
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
  AND name NOT IN (${literal(ledger)}, ${literal(sidecar)}, 'd1_migrations_refused')) AS object))`
}

/** Returns a condition that fails the request if ledger or schema have changed since the judgement. */
function whenJudged({ head, schema }: JudgedMoment, names: Names): string {
  const expectedHead = head === undefined ? "NULL" : literal(head)
  const before = head === undefined ? "was empty" : `ended with ${head}`
  const recordedSum = `(SELECT schema_sum FROM "${names.sidecar}" WHERE name = ${expectedHead})`
  const differences = [
    {
      what: `'the ledger ends with ' || coalesce(head, 'nothing') || ${literal(` now, and ${before} when it was judged`)}`,
      from: `(SELECT (SELECT name FROM "${names.ledger}" ORDER BY id DESC LIMIT 1) AS head)`,
      when: `head IS NOT ${expectedHead}`,
    },
    {
      what: literal("the schema is not the one that was judged"),
      from: `(SELECT ${schemaSum(names)} AS sum)`,
      when: `sum IS NOT ${schema === "as recorded" ? recordedSum : schema}`,
    },
  ]
  const checks = differences.map((difference) => `(${selectFailure(difference, momentMark)})`)
  return `coalesce(${checks.join(", ")}, 1)`
}

/** Facts recorded with a file, besides its checksum and row counts. */
type MigrationRecord = {
  bookmark: string
  commit: string
  class: string
  oldestWorker: string | undefined
}

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/**
 * Returns one script with the migration, its two rows and its guard, which takes effect as a whole or not at all. It
 * fails if ledger or schema have changed since the judgement.
 */
export function migrationScript(guarded: {
  names: Names
  migration: Migration
  record: MigrationRecord
  guard: Guard | undefined
  moment: JudgedMoment
  /** Whether the script only collects the guard's findings, for all files of a run together. */
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

/** Returns the unchanged file, with the guard's statements inserted before each DROP TABLE. */
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
