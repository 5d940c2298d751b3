import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { readObjects } from "../schema/scratch-database.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { seedOf } from "./seed.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const SchemaObject = z.object({ type: z.string(), name: z.string(), sql: z.string() })
let databases = 0

/** A D1 database with a schema, seeded. */
async function seedD1(schema: string, rows: number) {
  databases += 1
  const databaseId = await account.createDatabase(`seed-${databases}`)
  const query = (sql: string) => account.query(databaseId, sql)
  await query(schema)
  const objects = (await query(readObjects)).map((row) => SchemaObject.parse(row))
  const seed = seedOf(objects, rows)
  for (const script of seed.scripts) await query(script)
  const counted = await Promise.all(
    [...seed.rows.keys()].map(async (table): Promise<[string, unknown]> => {
      const [row] = await query(`SELECT count(*) AS rows FROM "${table}"`)
      return [table, z.object({ rows: z.number() }).parse(row).rows]
    }),
  )
  return { seed, objects, query, counted: Object.fromEntries(counted) }
}

/** Shapes that a schema may have, and how many of 30 rows each table gets. */
const shapes: { title: string; schema: string; counts: Record<string, number> }[] = [
  {
    title: "children before parents, in the order of names",
    schema: `CREATE TABLE a (id TEXT PRIMARY KEY, b_id TEXT NOT NULL REFERENCES b (id));
      CREATE TABLE b (id TEXT PRIMARY KEY, c_id INTEGER NOT NULL REFERENCES c);
      CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT);`,
    counts: { a: 30, b: 30, c: 30 },
  },
  {
    title: "a reference to the same table",
    schema: "CREATE TABLE node (id TEXT PRIMARY KEY, parent_id TEXT REFERENCES node (id));",
    counts: { node: 30 },
  },
  {
    title: "a reference to the same table that may not be empty",
    schema: "CREATE TABLE node (id TEXT PRIMARY KEY, root_id TEXT NOT NULL REFERENCES node (id));",
    counts: { node: 30 },
  },
  {
    title: "a circle of which one reference may be empty",
    schema: `CREATE TABLE user (id TEXT PRIMARY KEY, team_id TEXT REFERENCES team (id));
      CREATE TABLE team (id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES user (id));`,
    counts: { user: 30, team: 30 },
  },
  {
    title: "a circle of which none may be empty",
    schema: `CREATE TABLE egg (id INTEGER PRIMARY KEY, hen_id INTEGER NOT NULL REFERENCES hen (id));
      CREATE TABLE hen (id INTEGER PRIMARY KEY, egg_id INTEGER NOT NULL REFERENCES egg (id));`,
    counts: { egg: 30, hen: 30 },
  },
  {
    title: "two composite keys that share a column",
    schema: `CREATE TABLE tenant (id TEXT PRIMARY KEY);
      CREATE TABLE person (tenant_id TEXT REFERENCES tenant (id), id TEXT, PRIMARY KEY (tenant_id, id));
      CREATE TABLE room (tenant_id TEXT REFERENCES tenant (id), id TEXT, PRIMARY KEY (tenant_id, id));
      CREATE TABLE booking (tenant_id TEXT NOT NULL, person_id TEXT NOT NULL, room_id TEXT,
        FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id),
        FOREIGN KEY (tenant_id, room_id) REFERENCES room (tenant_id, id));`,
    counts: { tenant: 30, person: 30, room: 30, booking: 30 },
  },
  {
    title: "a key that is a reference, too, and one to a unique column",
    schema: `CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE COLLATE NOCASE);
      CREATE TABLE profile (user_id TEXT PRIMARY KEY NOT NULL REFERENCES user (id)) WITHOUT ROWID;
      CREATE TABLE invitation (email TEXT NOT NULL UNIQUE REFERENCES user (email));`,
    counts: { user: 30, profile: 30, invitation: 30 },
  },
  {
    title: "checks over lists, ranges, lengths and two columns",
    schema: `CREATE TABLE sale (id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('open', 'paid')),
      paid_at INTEGER,
      percent INTEGER NOT NULL CHECK (percent BETWEEN 10 AND 90), code TEXT CHECK (length(code) = 6),
      detail TEXT NOT NULL CHECK (json_valid(detail)),
      CHECK ((status = 'paid') = (paid_at IS NOT NULL)), CHECK (percent > 50 OR status = 'open'));`,
    counts: { sale: 30 },
  },
  {
    title: "unique columns of which some may be empty, and one of few values",
    schema: `CREATE TABLE flag (id TEXT PRIMARY KEY, name TEXT UNIQUE, kind TEXT NOT NULL UNIQUE CHECK (kind IN ('a', 'b')));
      CREATE TABLE pair (a INTEGER NOT NULL, b INTEGER NOT NULL, UNIQUE (a, b));`,
    counts: { flag: 2, pair: 30 },
  },
  {
    title: "strict tables, generated columns, and columns of any type or none",
    schema: `CREATE TABLE typed (id INTEGER PRIMARY KEY, a INT NOT NULL, b REAL, c TEXT, d BLOB, e ANY,
        twice INT GENERATED ALWAYS AS (a * 2) VIRTUAL, upper TEXT AS (upper(c)) STORED) STRICT;
      CREATE TABLE loose (id, price DECIMAL(10, 2), day DATE, flag BOOLEAN DEFAULT true, code VARCHAR(9) NOT NULL);`,
    counts: { typed: 30, loose: 30 },
  },
  {
    title: "triggers that refuse, and that write to other tables, and views",
    schema: `CREATE TABLE member (id TEXT PRIMARY KEY, role TEXT NOT NULL);
      CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT);
      CREATE VIEW owners AS SELECT * FROM member WHERE role = 'owner';
      CREATE TRIGGER known BEFORE INSERT ON member WHEN new.role NOT IN ('member', 'owner') BEGIN SELECT raise(ABORT, 'no such role'); END;
      CREATE TRIGGER logged AFTER INSERT ON member BEGIN INSERT INTO log (what) VALUES (new.id); END;`,
    // Its own rows come first, and those of the trigger are added.
    counts: { member: 30, log: 60 },
  },
]

test.each(shapes)("each table gets its rows on D1: $title", async ({ schema, counts }) => {
  const { seed, query, counted } = await seedD1(schema, 30)
  expect(counted).toEqual(counts)
  expect(Object.fromEntries(seed.rows)).toEqual(counts)
  expect(await query("PRAGMA foreign_key_check")).toEqual([])
})

test("a circle of references is closed, and most of them are filled", async () => {
  const { query } = await seedD1(
    `CREATE TABLE user (id TEXT PRIMARY KEY, team_id TEXT REFERENCES team (id));
     CREATE TABLE team (id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES user (id));`,
    40,
  )
  const filled = await query("SELECT count(team_id) AS filled, count(*) AS rows FROM user")
  expect(filled).toEqual([{ filled: 30, rows: 40 }])
})

test("each value of a list, each end of a type and no value at all are in some row", async () => {
  const { query } = await seedD1(
    `CREATE TABLE entry (id TEXT PRIMARY KEY, mood TEXT NOT NULL CHECK (mood IN ('low', 'it''s fine', 'great')),
      text TEXT NOT NULL, score INTEGER, at INTEGER NOT NULL, weight REAL, raw BLOB);`,
    40,
  )
  const values = async (column: string) =>
    (await query(`SELECT DISTINCT ${column} AS value FROM entry`)).map(
      (row) => z.object({ value: z.unknown() }).parse(row).value,
    )
  expect(new Set(await values("mood"))).toEqual(new Set(["low", "it's fine", "great"]))
  expect(await values("score")).toEqual(
    expect.arrayContaining([null, 0, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]),
  )
  const texts = await values("text")
  expect(texts).toEqual(expect.arrayContaining(["", "NULL", expect.stringContaining("日本語")]))
  expect(Math.max(...texts.map((text) => String(text).length))).toBe(10_000)
  const lastDate = 8_640_000_000_000_000
  expect(await values("at")).toEqual(expect.arrayContaining([0, lastDate, -lastDate]))
  expect(await values("weight")).toContain(null)
  expect(await values("hex(raw)")).toEqual(expect.arrayContaining(["", "00FF"]))
})

test("a table whose rule nobody can guess is named, and the others get their rows", () => {
  const objects = [
    {
      type: "table",
      name: "odd",
      sql: "CREATE TABLE odd (id TEXT PRIMARY KEY CHECK (id GLOB 'Q[0-9][0-9]-*X'))",
    },
    { type: "table", name: "even", sql: "CREATE TABLE even (id TEXT PRIMARY KEY)" },
  ]
  const { rows, shortages } = seedOf(objects, 5)
  expect(Object.fromEntries(rows)).toEqual({ even: 5, odd: 0 })
  expect(shortages).toEqual([
    { table: "odd", rows: 0, reason: expect.stringContaining("CHECK constraint failed") },
  ])
})
