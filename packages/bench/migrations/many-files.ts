import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Tables that each file makes. */
const tablesPerFile = 2

/**
 * Makes a file as a project writes them over the years: each creates tables, and changes one of the earlier
 * ones.
 */
function fileOf(number: number): string {
  const [first, second] = [tableOf(number, 0), tableOf(number, 1)]
  const parent = tableOf(Math.floor(number / 2), 0)
  const reference = number === 0 ? "" : ` REFERENCES ${parent} (id) ON DELETE CASCADE`
  const ddl = `CREATE TABLE ${first} (id TEXT PRIMARY KEY, parent TEXT${reference}, name TEXT NOT NULL, email TEXT, size INTEGER, created_at INTEGER NOT NULL);
CREATE UNIQUE INDEX ${first}_email ON ${first} (email);
CREATE TABLE ${second} (id INTEGER PRIMARY KEY, owner TEXT NOT NULL REFERENCES ${first} (id) ON DELETE CASCADE, text TEXT, kind TEXT DEFAULT 'note');
CREATE INDEX ${second}_owner ON ${second} (owner);`
  if (number === 0) return ddl
  const [older, leaf] = [tableOf(number - 1, 0), tableOf(number - 1, 1)]
  const changes = [
    `ALTER TABLE ${older} ADD COLUMN image TEXT;`,
    `-- d1:changes ${older}.email: addresses are compared in lower case
UPDATE ${older} SET email = lower(trim(email)) WHERE email IS NOT NULL;`,
    `CREATE TABLE new_${leaf} (id INTEGER PRIMARY KEY, owner TEXT NOT NULL REFERENCES ${older} (id) ON DELETE CASCADE, text TEXT NOT NULL, kind TEXT DEFAULT 'note');
INSERT INTO new_${leaf} (id, owner, text, kind) SELECT id, owner, coalesce(text, ''), kind FROM ${leaf};
DROP TABLE ${leaf};
ALTER TABLE new_${leaf} RENAME TO ${leaf};
CREATE INDEX ${leaf}_owner ON ${leaf} (owner);`,
    `-- d1:loses ${leaf}, at most 1000 rows: drafts are no longer kept
DELETE FROM ${leaf} WHERE kind = 'draft';`,
    `UPDATE ${leaf} SET text = '' WHERE text IS NULL;`,
  ]
  return `${ddl}\n${changes[number % changes.length]}`
}

function tableOf(file: number, index: number): string {
  return `t${file}_${index}`
}

/** Writes files into a folder; returns how many tables they make. */
export function writeManyFiles(folder: string, files: number): number {
  for (let number = 0; number < files; number += 1) {
    const name = `${String(number + 1).padStart(4, "0")}_file.sql`
    writeFileSync(join(folder, name), `${fileOf(number)}\n`)
  }
  return files * tablesPerFile
}
