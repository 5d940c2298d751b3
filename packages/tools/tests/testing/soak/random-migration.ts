/** A schema with rows, and one file that changes it: some keep every row, some lose rows unsaid. */
export type RandomMigration = {
  tables: RandomTable[]
  setUp: string
  sql: string
  declared: Bounds
}

type RandomTable = { name: string; parent: string | undefined }

/** How many rows each table may lose, and how many references may be emptied. */
type Bounds = { loses: Map<string, number>; empties: Map<string, number> }

type Random = () => number

const actions = ["CASCADE", "SET NULL", "NO ACTION"]

export function randomMigration(random: Random): RandomMigration {
  const pick = <T>(choices: T[]): T | undefined => choices[Math.floor(random() * choices.length)]
  const tables: RandomTable[] = []
  for (let number = 0; number < 2 + Math.floor(random() * 3); number += 1) {
    const parent = random() < 0.7 ? pick(tables)?.name : undefined
    tables.push({ name: `t${number}`, parent })
  }
  const create = tables.map((table) => createTable(table, pick(actions) ?? "CASCADE"))
  const rows = tables.map((table) => insertRows(table, 1 + Math.floor(random() * 6), random))
  const statements: string[] = []
  for (let count = 0; count < 1 + Math.floor(random() * 2); count += 1) {
    const table = pick(tables)
    if (table !== undefined) statements.push(randomChange(table, count, random))
  }
  const declared: Bounds = { loses: new Map(), empties: new Map() }
  const comments: string[] = []
  for (const { name } of tables) {
    if (random() < 0.6) continue
    const bound = Math.floor(random() * 7)
    declared.loses.set(name, bound)
    comments.push(`-- accounts:loses ${name}, at most ${bound} rows: drawn by lot for a trial`)
    if (random() < 0.5) continue
    declared.empties.set(name, bound)
    comments.push(
      `-- accounts:empties ${name}.ref, at most ${bound} rows: drawn by lot for a trial`,
    )
  }
  const sql = [...comments, "INSERT INTO marker VALUES (1);", ...statements].join("\n")
  return { tables, setUp: [...create, ...rows].join("\n"), sql, declared }
}

const columns = "(id TEXT PRIMARY KEY, a TEXT, b INTEGER, ref TEXT"

function createTable({ name, parent }: RandomTable, action: string): string {
  const key = parent === undefined ? "" : ` REFERENCES ${parent} (id) ON DELETE ${action}`
  return `CREATE TABLE ${name} ${columns}${key});`
}

function insertRows({ name, parent }: RandomTable, count: number, random: Random): string {
  return Array.from({ length: count }, (_, row) => {
    const ref = parent !== undefined && random() < 0.7 ? `(SELECT min(id) FROM ${parent})` : "NULL"
    const number = Math.floor(random() * 10)
    return `INSERT INTO ${name} VALUES ('${name}-${row}', 'text ${number}', ${number}, ${ref});`
  }).join("\n")
}

function randomChange(table: RandomTable, count: number, random: Random): string {
  const { name } = table
  const limit = Math.floor(random() * 12)
  const copy = `__new_${name}`
  const rebuild = (select: string) =>
    `CREATE TABLE ${copy} ${columns}); INSERT INTO ${copy} SELECT ${select};
DROP TABLE ${name}; ALTER TABLE ${copy} RENAME TO ${name};`
  const changes = [
    `ALTER TABLE ${name} ADD COLUMN c${count} TEXT;`,
    `CREATE TABLE more${count} (id TEXT PRIMARY KEY REFERENCES ${name} (id) ON DELETE CASCADE);`,
    `CREATE INDEX by_a${count} ON ${name} (a);`,
    `UPDATE ${name} SET b = b + 1 WHERE b < ${limit};`,
    rebuild(`id, a, b, ref FROM ${name}`),
    rebuild(`id, a, b, ref FROM ${name} WHERE b < ${limit}`),
    rebuild(`id, upper(a), b, ref FROM ${name}`),
    rebuild(`id, a, b, NULL FROM ${name}`),
    `PRAGMA defer_foreign_keys = ON; CREATE TABLE kept AS SELECT * FROM ${name};
UPDATE ${name} SET id = 'moved:' || id; DROP TABLE ${name}; CREATE TABLE ${name} ${columns});
INSERT INTO ${name} SELECT id, a, b, ref FROM kept; DROP TABLE kept;`,
    `CREATE TABLE kept AS SELECT * FROM ${name}; DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM kept; DROP TABLE kept;`,
    `DELETE FROM ${name} WHERE b < ${limit};`,
    `DELETE FROM ${name};`,
    `DROP TABLE ${name};`,
    `INSERT OR REPLACE INTO ${name} (id, a, b, ref) SELECT id, a, b, ref FROM ${name};`,
    `UPDATE ${name} SET ref = NULL WHERE b < ${limit};`,
    `INSERT INTO ${name} (id, a) VALUES ('${name}-0', 'there already');`,
    `CREATE TRIGGER on_${count} AFTER UPDATE ON ${name} BEGIN DELETE FROM ${name} WHERE id = OLD.id; END; UPDATE ${name} SET b = 1 WHERE b < ${limit};`,
  ]
  return changes[Math.floor(random() * changes.length)] ?? ""
}
