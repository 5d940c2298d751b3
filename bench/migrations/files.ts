import { type Migration, parseMigration } from "../../d1-migrations/files/migration-files.ts"

const columns = `id TEXT PRIMARY KEY, member_id TEXT NOT NULL, mood TEXT NOT NULL, text TEXT NOT NULL, created_at INTEGER NOT NULL`

/** Rows of one INSERT. */
const batch = 100_000

/** Statements that fill the table, each for a request of its own. */
export function fill(rows: number): string[] {
  return Array.from({ length: Math.ceil(rows / batch) }, (_, index) => {
    const [from, until] = [index * batch, Math.min(rows, (index + 1) * batch) - 1]
    return `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${until})
INSERT INTO entry SELECT printf('ent_%012d', i), printf('usr_%09d', i / 10), 'good', 'A walk by the river, number ' || i, 1700000000000 + i FROM n`
  })
}

/** As in a table that has been used for a while: the numbers of its rows have gaps. */
export const leaveGaps = "DELETE FROM entry WHERE rowid % 50 = 7"

/** What is applied before anything is measured. */
export const first = file(
  0,
  "entries",
  `CREATE TABLE entry (${columns});
CREATE INDEX entry_member ON entry (member_id, created_at);`,
)

/** As drizzle-kit writes the change of a column. */
const rebuild = file(
  1,
  "rebuild",
  `PRAGMA foreign_keys=OFF;
CREATE TABLE __new_entry (${columns.replace("mood TEXT NOT NULL", "mood TEXT DEFAULT 'good' NOT NULL")});
INSERT INTO __new_entry (id, member_id, mood, text, created_at) SELECT id, member_id, mood, text, created_at FROM entry;
DROP TABLE entry;
ALTER TABLE __new_entry RENAME TO entry;
PRAGMA foreign_keys=ON;
CREATE INDEX entry_member ON entry (member_id, created_at);`,
)

/** Five columns and tables, and five indexes, one of them over all rows. */
const additive = [
  "ALTER TABLE entry ADD COLUMN place TEXT;",
  "CREATE TABLE tag (id TEXT PRIMARY KEY, entry_id TEXT NOT NULL);",
  "CREATE INDEX tag_entry ON tag (entry_id);",
  "ALTER TABLE entry ADD COLUMN weather TEXT;",
  "CREATE TABLE photo (id TEXT PRIMARY KEY, entry_id TEXT NOT NULL);",
  "CREATE INDEX photo_entry ON photo (entry_id);",
  "CREATE INDEX entry_created_at ON entry (created_at);",
  "ALTER TABLE tag ADD COLUMN name TEXT;",
  "CREATE INDEX tag_name ON tag (name);",
  "CREATE INDEX photo_id ON photo (entry_id, id);",
].map((sql, index) => file(index + 2, "more", sql))

/** A table that is changed where it is, which leaves no copy to compare with. */
const update = file(
  12,
  "update",
  "ALTER TABLE entry ADD COLUMN writer TEXT; UPDATE entry SET writer = member_id;",
)

export const parts = { rebuild: [rebuild], additive, update: [update] }

function file(number: number, name: string, sql: string): Migration {
  return parseMigration(`${String(number).padStart(4, "0")}_${name}.sql`, Buffer.from(sql))
}
