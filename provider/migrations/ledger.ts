import type { Migration, MigrationFile } from "./migration-files.ts"

/** Wrangler's own ledger: `wrangler d1 migrations list` and `apply` work on it, too. */
export const ledgerTable = "d1_migrations"

/** Holds what wrangler's ledger has no column for: checksum, and the bookmark before the file ran. */
export const sidecarTable = "accounts_migrations"

/** Wrangler's statement to the byte, then the table beside it. */
export const createTables = {
  ledger: `CREATE TABLE IF NOT EXISTS "${ledgerTable}"(
\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,
\t\tname       TEXT UNIQUE,
\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`,
  sidecar: `CREATE TABLE IF NOT EXISTS "${sidecarTable}"(
\tname     TEXT PRIMARY KEY NOT NULL,
\tsha256   TEXT NOT NULL,
\tbookmark TEXT
)`,
}

export const listLedgerTables = `SELECT name FROM sqlite_master
WHERE type = 'table' AND name IN ('${ledgerTable}', '${sidecarTable}')`

/** Everything that a migration or a person made, to rehearse on: not what SQLite and D1 keep. */
export const readObjects = `SELECT type, name, sql FROM sqlite_master
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
ORDER BY rowid`

export const readLedger = `SELECT name FROM "${ledgerTable}" ORDER BY id`
export const readSidecar = `SELECT name, sha256 FROM "${sidecarTable}" ORDER BY name`

/** One row once the sidecar has the column, which those of older databases lack. */
export const findBookmarkColumn = `SELECT name FROM pragma_table_info('${sidecarTable}')
WHERE name = 'bookmark'`
export const addBookmarkColumn = `ALTER TABLE "${sidecarTable}" ADD COLUMN bookmark TEXT`

/** The migration and its two rows as one script, so that all of it takes effect or nothing. */
export function migrationScript(migration: Migration, bookmark: string): string {
  const terminator = migration.statements.at(-1)?.terminated === false ? "\n;" : ""
  return `${migration.sql}${terminator}
INSERT INTO "${ledgerTable}" (name)
VALUES (${literal(migration.name)});
INSERT INTO "${sidecarTable}" (name, sha256, bookmark)
VALUES (${literal(migration.name)}, ${literal(migration.sha256)}, ${literal(bookmark)});`
}

export function recordChecksum(file: MigrationFile): string {
  return `INSERT INTO "${sidecarTable}" (name, sha256) VALUES (${literal(file.name)}, ${literal(file.sha256)});`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
