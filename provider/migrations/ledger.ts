import type { Migration, MigrationFile } from "./migration-files.ts"

/** Wrangler's ledger, to the byte: its `d1 migrations list` and `apply` agree with this project. */
export const ledgerTable = "d1_migrations"

/** What wrangler's ledger has no column for. */
export const sidecarTable = "accounts_migrations"

export const createLedger = `CREATE TABLE IF NOT EXISTS "${ledgerTable}"(
\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,
\t\tname       TEXT UNIQUE,
\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE IF NOT EXISTS "${sidecarTable}"(
\tname   TEXT PRIMARY KEY NOT NULL,
\tsha256 TEXT NOT NULL
);`

export const listLedgerTables = `SELECT name FROM sqlite_master
WHERE type = 'table' AND name IN ('${ledgerTable}', '${sidecarTable}')`

export const readLedger = `SELECT name FROM "${ledgerTable}" ORDER BY id`
export const readSidecar = `SELECT name, sha256 FROM "${sidecarTable}" ORDER BY name`

/** The file and its two rows as one script: either all of it happens or nothing. */
export function migrationScript(migration: Migration): string {
  const terminator = migration.statements.at(-1)?.terminated === false ? "\n;" : ""
  return `${migration.sql}${terminator}
INSERT INTO "${ledgerTable}" (name)
values (${literal(migration.name)});
${recordChecksum(migration)}`
}

export function recordChecksum(file: MigrationFile): string {
  return `INSERT INTO "${sidecarTable}" (name, sha256) VALUES (${literal(file.name)}, ${literal(file.sha256)});`
}

/** Fails whenever it runs, so that everything before it in the request is rolled back. */
export const stop = `INSERT INTO "${sidecarTable}" (name, sha256) VALUES ('stop', NULL);`
export const stopped = `NOT NULL constraint failed: ${sidecarTable}.sha256`

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
