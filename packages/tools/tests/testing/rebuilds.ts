import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { quoteName } from "@accounts-stack/d1-migrations/schema"
import {
  keepChildRows,
  openScratchDatabase,
  readSchema,
} from "@accounts-stack/d1-migrations/testing/internals"
import { seedRows } from "@accounts-stack/d1-migrations/testing/seed-rows"
import { generateSQLiteMigration } from "drizzle-kit/api"
import { expect } from "vitest"
import * as z from "zod"

import { migrationsDirectory } from "../../base/root.ts"
import { withExpressions } from "../../cli/database/index-expressions.ts"
import type { openAccount } from "../../deploy/testing/account.ts"
import { ownNames, readMigrations } from "../../environment/own-names.ts"

const Column = z.looseObject({ name: z.string(), primaryKey: z.boolean(), notNull: z.boolean() })
const Table = z.looseObject({
  name: z.string(),
  columns: z.record(z.string(), Column),
  indexes: z.record(z.string(), z.looseObject({ columns: z.array(z.string()) })),
  foreignKeys: z.record(
    z.string(),
    z.looseObject({ columnsFrom: z.array(z.string()), onDelete: z.string() }),
  ),
  compositePrimaryKeys: z.record(z.string(), z.looseObject({ columns: z.array(z.string()) })),
  checkConstraints: z.record(z.string(), z.looseObject({ name: z.string(), value: z.string() })),
})
type Table = z.infer<typeof Table>
const Expressions = z.looseObject({ columns: z.record(z.string(), z.unknown()) })
const Snapshot = z.looseObject({
  tables: z.record(z.string(), Table),
  internal: z.looseObject({ indexes: z.record(z.string(), Expressions).default({}) }).optional(),
})

const meta = join(migrationsDirectory, "meta")
const last = readdirSync(meta)
  .filter((name) => name.endsWith("_snapshot.json"))
  .toSorted()
  .at(-1)
const snapshot = Snapshot.parse(JSON.parse(readFileSync(join(meta, last ?? ""), "utf8")))
export const earlier = (await readMigrations(migrationsDirectory)).map(({ sql }) => sql)

/** A column that is no key and refers to nothing. */
function findPlainColumn(table: Table) {
  const inKeys = new Set([
    ...Object.values(table.compositePrimaryKeys).flatMap(({ columns }) => columns),
    ...Object.values(table.foreignKeys).flatMap(({ columnsFrom }) => columnsFrom),
  ])
  return Object.values(table.columns).find(
    ({ name, primaryKey }) => !primaryKey && !inKeys.has(name),
  )
}

function plainColumn(table: Table) {
  const column = findPlainColumn(table)
  if (column === undefined) throw new Error(`${table.name} has no plain column`)
  return column
}

/** Changes of a table that drizzle-kit notices, each on a table of the last snapshot. */
const shapes: Record<string, (table: Table) => void> = {
  type: (table) => void Object.assign(plainColumn(table), { type: "blob" }),
  nullable: (table) =>
    void Object.assign(plainColumn(table), { notNull: !plainColumn(table).notNull }),
  default: (table) => void Object.assign(plainColumn(table), { default: "'0'" }),
  check(table) {
    const value = `"${table.name}"."${plainColumn(table).name}" <> 'never'`
    table.checkConstraints["fresh"] = { name: "fresh", value }
  },
  "no check": (table) => void (table.checkConstraints = {}),
  "no foreign key": (table) => void (table.foreignKeys = {}),
  "other action": (table) => {
    for (const key of Object.values(table.foreignKeys)) key.onDelete = "restrict"
  },
  "column dropped"(table) {
    const { name } = plainColumn(table)
    delete table.columns[name]
    for (const [key, index] of Object.entries(table.indexes)) {
      if (JSON.stringify(index).includes(name)) delete table.indexes[key]
    }
    table.checkConstraints = {}
  },
  "column added"(table) {
    const added = { name: "fresh", type: "text", primaryKey: false, notNull: true }
    table.columns["fresh"] = { ...added, autoincrement: false, default: "'new'" }
  },
}

/** drizzle-kit's types ask for what its snapshots need not have. */
const Given = z.custom<Parameters<typeof generateSQLiteMigration>[0]>()

export async function generate(changes: [table: string, shape: string][]): Promise<string> {
  const next = structuredClone(snapshot)
  for (const [name, shape] of changes) {
    const table = next.tables[name]
    if (table !== undefined) shapes[shape]?.(table)
  }
  const statements = await generateSQLiteMigration(Given.parse(snapshot), Given.parse(next))
  return withExpressions(statements.join("\n--> statement-breakpoint\n"), snapshot)
}

/** A table of keys alone has nothing that most shapes could change. */
export const tables = Object.values(snapshot.tables)
  .filter((table) => findPlainColumn(table) !== undefined)
  .map(({ name }) => name)
const parents = ["user", "compatibility_result"]
const leaves = tables.filter((table) => !parents.includes(table))
type RebuildCase = {
  name: string
  rebuilt: string[]
  shape: string
  /** Output of drizzle-kit for it. */
  written: string
}
const groups: [string, string[]][] = [
  ...parents.map((table): [string, string[]] => [table, [table]]),
  ["all others", leaves],
]
const pairs = groups.flatMap(([name, rebuilt]) =>
  Object.keys(shapes).map(async (shape) => ({
    name,
    rebuilt,
    shape,
    written: await generate(rebuilt.map((table) => [table, shape])),
  })),
)
/** Each change of each group of tables, where it has what the change takes. */
export const cases: RebuildCase[] = (await Promise.all(pairs)).filter(
  ({ written }) => written !== "",
)

const readTriggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"

/** A row in every table, as INSERT statements; the trigger on roles takes only known ones. */
function rowsOfAll() {
  using scratch = openScratchDatabase()
  for (const sql of earlier) scratch.exec(sql)
  seedRows(scratch)
  scratch.exec("UPDATE user SET role = 'member'; PRAGMA foreign_keys = OFF;")
  const schema = readSchema(scratch)
  const rows = schema.map(({ name }) => {
    const [row = {}] = scratch.rows(`SELECT * FROM ${quoteName(name)}`)
    return { table: name, cells: Object.values(row).map(String) }
  })
  const inserts = rows.map(
    ({ table, cells }) =>
      `INSERT INTO ${quoteName(table)} VALUES (${cells.map((cell) => `'${cell}'`).join(", ")});`,
  )
  const triggers = scratch.rows(readTriggers)
  return { rows, triggers, sql: `PRAGMA defer_foreign_keys = ON;\n${inserts.join("\n")}` }
}

const seeded = rowsOfAll()

/** Declares the losses that a shape means. */
function declareLoss(name: string, shape: string): string {
  const table = snapshot.tables[name]
  if (table === undefined) return ""
  const keys = Object.values(table.foreignKeys).map(({ columnsFrom }) => columnsFrom.join(","))
  const references = keys.map((columns) => `reference ${name}.${columns}`)
  const checks = Object.keys(table.checkConstraints).length > 0 ? [`check ${name}`] : []
  const lost: Record<string, string[]> = {
    "no check": checks,
    "no foreign key": references,
    "other action": references,
    "column dropped": [...checks, `${name}.${plainColumn(table).name}`],
  }
  return (lost[shape] ?? [])
    .map((subject) => `-- accounts:loses ${subject}: nothing needs it any more\n`)
    .join("")
}

/** Databases of an account with the tables of the service, and rows in each of them. */
export function openRebuilds(account: ReturnType<typeof openAccount>) {
  async function databaseWithRows(name: string) {
    const databaseId = await account.createDatabase(name)
    const query = (sql: string) => account.query(databaseId, sql)
    await query(earlier.join("\n"))
    await query(seeded.sql)
    return { databaseId, query }
  }

  /** Tables whose row is gone, or of which a reference was emptied. */
  async function damaged(databaseId: string): Promise<string[]> {
    const selects = seeded.rows.map(({ table }) => `SELECT * FROM ${quoteName(table)};`)
    const rowsOfTables = await account.queryAll(databaseId, selects.join("\n"))
    return seeded.rows.flatMap(({ table, cells }, index) => {
      const text = JSON.stringify(rowsOfTables[index])
      const lostCells = cells.filter((cell) => !text.includes(cell))
      // A dropped column's value goes, and a column of another type may write a number otherwise.
      return lostCells.length > 1 || /_id":null/.test(text) ? [table] : []
    })
  }

  /** Rebuilds the tables of a case as drizzle-kit does, with the fix of this project. */
  async function expectRowsKept({ name, rebuilt, shape, written }: RebuildCase) {
    const sql = `${rebuilt.map((table) => declareLoss(table, shape)).join("")}${written}`
    const fixed = keepChildRows(sql, earlier, ownNames)
    const { databaseId, query } = await databaseWithRows(`${name}-${shape}`.replaceAll(/\W/g, "-"))
    await query(fixed)
    expect(await damaged(databaseId)).toEqual([])
    expect(await query("PRAGMA foreign_key_check")).toEqual([])
    const names = await query("SELECT name FROM sqlite_master WHERE name GLOB '__[on]*'")
    expect(names).toEqual([])
    expect(await query(readTriggers)).toEqual(seeded.triggers)
    // A statement that already keeps every row is not changed.
    expect(fixed === sql).toBe(!/DROP TABLE `(?:user|compatibility_result|session)`/.test(sql))
  }

  return { databaseWithRows, damaged, expectRowsKept }
}
