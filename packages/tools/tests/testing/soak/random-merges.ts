import { columnFree, identity, type Made } from "./random-moves.ts"
import { type Column, pick, type Random, type Table } from "./random-schema.ts"

/** A column becomes a table of its own, to which a link leads. */
export function normalise(random: Random, table: Table): Made {
  const { name } = table
  const column = columnFree(table).findLast(({ rules }) => !rules.includes("COLLATE"))
  if (column === undefined) return { statements: [`UPDATE ${name} SET id = id`] }
  const apart = `${name}_label`
  const moved = [
    { table: name, columns: identity(table, { [column.name]: `label_id → ${apart}.label` }) },
  ]
  const unique = pick(random, ["UNIQUE", "NOT NULL UNIQUE", "NOT NULL"])
  const steps = (change: Partial<Record<"rule" | "verb" | "value" | "some" | "link", string>>) => [
    `CREATE TABLE ${apart} (id INTEGER PRIMARY KEY, label ${column.type} ${change.rule ?? unique})`,
    `${change.verb ?? "INSERT INTO"} ${apart} (label) SELECT DISTINCT ${change.value ?? column.name} FROM ${name} WHERE ${column.name} ${change.some ?? "IS NOT NULL"}`,
    `ALTER TABLE ${name} ADD COLUMN label_id INTEGER REFERENCES ${apart} (id)`,
    `UPDATE ${name} SET label_id = ${change.link ?? `(SELECT id FROM ${apart} WHERE label IS ${name}.${column.name})`}`,
    `ALTER TABLE ${name} DROP COLUMN ${column.name}`,
  ]
  const link = (condition: string) => `(SELECT id FROM ${apart} WHERE ${condition})`
  const label = `${name}.${column.name}`
  const mistakes = [
    steps({ some: pick(random, ["<> ''", "> 'b'", "IS NOT NULL LIMIT 5", "LIKE '%a%'"]) }),
    steps({ link: `(SELECT min(id) FROM ${apart})` }),
    steps({ link: "NULL" }),
    steps({ link: `${link(`label IS ${label}`)} WHERE ${column.name} <> ''` }),
    steps({ link: link(`length(label) = length(${label})`) }),
    steps({ verb: "INSERT OR IGNORE INTO", rule: "COLLATE NOCASE UNIQUE" }),
    steps({ value: `substr(${column.name}, 1, 3)`, link: link(`label IS substr(${label}, 1, 3)`) }),
    steps({ link: link(`label IS ${label} AND id > 1`) }),
  ]
  if (random() < 0.4) return { statements: steps({}), moved }
  return { statements: pick(random, mistakes), moved, mistake: "a link leads elsewhere" }
}

/** Rows of two tables, of two columns, or that are alike, become one. */
export function merge(random: Random, table: Table): Made {
  const { name, columns } = table
  const stored = columns.filter(({ kind }) => kind !== "generated")
  const list = stored.map((column) => column.name).join(", ")
  const [first, second] = columnFree(table)
  const reference = stored.find(({ name: unionTable }) => /^(?:owner|item)_id$/.test(unionTable))
  const parent = reference?.name.replace(/_id$/, "")
  const unionTable = `${name}_all`
  const together = [
    `CREATE TABLE ${unionTable} (source TEXT, ${stored.map((column) => `${column.name} ${column.type}`).join(", ")}, at INTEGER, msg TEXT)`,
    `INSERT INTO ${unionTable} (source, ${list}) SELECT '${name}', ${list} FROM ${name}`,
  ]
  const merged = [{ table: unionTable, columns: identity({ ...table, columns: stored }) }]
  const isWhole = !table.children && stored.length === columns.length
  const wrong = (statements: string[]): Made => ({ statements, mistake: "what is merged is less" })
  const forms: Made[] = [
    {
      statements: [...together, `DROP TABLE ${name}`],
      moved: merged,
      ...(isWhole ? {} : { mistake: "children or a generated column go" }),
    },
    {
      ...wrong([
        `CREATE TABLE ${unionTable} AS SELECT ${list}, count(*) AS n FROM ${name} GROUP BY ${first?.name ?? "id"}`,
        `DROP TABLE ${name}`,
      ]),
      moved: merged,
    },
    wrong([
      `CREATE TABLE ${unionTable} AS SELECT ${list} FROM ${name} UNION SELECT ${list} FROM ${name} WHERE 0`,
      `DELETE FROM ${name}`,
      `INSERT INTO ${name} (${list}) SELECT ${list} FROM ${unionTable} WHERE ${first?.name ?? "id"} <> ''`,
      `DROP TABLE ${unionTable}`,
    ]),
    wrong([
      `DELETE FROM ${name} WHERE EXISTS (SELECT 1 FROM ${name} AS o WHERE o.${first?.name ?? "a"} = ${name}.${first?.name ?? "a"} AND o.id < ${name}.id)`,
    ]),
    ...(first === undefined || second === undefined
      ? []
      : [
          wrong([
            `ALTER TABLE ${name} ADD COLUMN both TEXT`,
            `UPDATE ${name} SET both = ${pick(random, [`coalesce(${first.name}, ${second.name})`, `${first.name} || ' ' || ${second.name}`])}`,
            `ALTER TABLE ${name} DROP COLUMN ${first.name}`,
            `ALTER TABLE ${name} DROP COLUMN ${second.name}`,
          ]),
        ]),
    ...(parent === undefined
      ? []
      : [
          wrong([
            `ALTER TABLE ${name} ADD COLUMN of_parent TEXT`,
            `UPDATE ${name} SET of_parent = (SELECT b FROM ${parent} WHERE ${parent}.id = ${parent}_id)`,
            `ALTER TABLE ${parent} DROP COLUMN b`,
          ]),
        ]),
  ]
  return pick(random, forms)
}

/** @param row a value for each column that is not generated */
export function upsert(random: Random, table: Table, row: string[]): Made {
  const { name, columns } = table
  const stored = columns.filter(({ kind }) => kind !== "generated")
  const list = stored.map((entry) => entry.name).join(", ")
  const inKey = table.checks.some((check) => check.startsWith("PRIMARY"))
  const key = inKey ? "id, a" : "id"
  const isFree = ({ kind, name: columnName }: Column) =>
    ["text", "integer", "real"].includes(kind) && !key.includes(columnName)
  const free = stored.filter(isFree)
  const { name: column } = free[0] ?? { name: "id" }
  const { name: lastColumn } = free.at(-1) ?? { name: "id" }
  const itself = `INSERT INTO ${name} (${list}) SELECT ${list} FROM ${name} WHERE true`
  const from = pick(random, [itself, `INSERT INTO ${name} (${list}) VALUES (${row.join(", ")})`])
  const right = (sql: string): Made => ({ statements: [sql] })
  const wrong = (sql: string): Made => ({ statements: [sql], mistake: "an upsert overwrites" })
  return pick(random, [
    right(`${from} ON CONFLICT (${key}) DO NOTHING`),
    right(`${from} ON CONFLICT (${key}) DO UPDATE SET ${column} = ${name}.${column}`),
    right(
      `${from} ON CONFLICT (${key}) DO UPDATE SET ${column} = coalesce(${name}.${column}, excluded.${column})`,
    ),
    right(
      `${from} ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.${column} WHERE ${name}.${column} IS NULL`,
    ),
    right(`${itself} ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.${column}`),
    right(`${from} ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.${column} WHERE 0`),
    wrong(`${itself} ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.id || 'x'`),
    wrong(
      `${itself} ON CONFLICT (${key}) DO UPDATE SET ${column} = ${pick(random, ["NULL", "7"])}`,
    ),
    wrong(
      `${itself} ON CONFLICT (${key}) DO UPDATE SET (${column}, ${lastColumn}) = (excluded.${lastColumn}, excluded.${column})`,
    ),
    wrong(
      `${itself} ON CONFLICT (${key}) DO UPDATE SET ${column} = (SELECT msg FROM log WHERE at = 1) WHERE ${name}.${lastColumn} ${pick(random, ["LIKE '%e%'", "> 4", "IS NOT NULL"])}`,
    ),
    wrong(
      `INSERT OR REPLACE INTO ${name} (${list}) SELECT ${stored.map((entry) => (entry.name === column ? "'z'" : entry.name)).join(", ")} FROM ${name}`,
    ),
  ])
}
