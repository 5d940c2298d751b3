import { expect, test } from "vitest"

import { openTestAccount } from "../cloudflare/testing/test-account.ts"
import { turnsForeignKeysOff } from "./import-export.ts"
import { splitStatements } from "./statements.ts"

const { account_id, client, send } = await openTestAccount()

test("databases are found by id or name, listed in pages and never replaced", async () => {
  const databaseNames = [
    "one",
    "two",
    "three",
    ...Array.from({ length: 9 }, (_, index) => `more-${index}`),
  ]
  for (const name of databaseNames) await client.d1.database.create({ account_id, name })

  const names: (string | undefined)[] = []
  for await (const database of client.d1.database.list({ account_id, per_page: 10 })) {
    names.push(database.name)
    expect(database).not.toHaveProperty("read_replication")
  }
  expect(names).toEqual(databaseNames)
  expect(await send("GET", "/d1/database?per_page=9")).toMatchObject([400, {}])
  const result_info = { page: 3, per_page: 10, count: 0, total_count: 12 }
  const beyond = await send("GET", "/d1/database?page=3&per_page=10")
  expect(beyond).toMatchObject([200, { result: [], result_info }])

  const firstDatabase = await client.d1.database.get("one", { account_id })
  expect(firstDatabase).toMatchObject({
    name: "one",
    num_tables: 0,
    read_replication: { mode: "disabled" },
  })
  const uuid = firstDatabase.uuid ?? ""
  await client.d1.database.update(uuid, { account_id, read_replication: { mode: "auto" } })
  expect(await client.d1.database.get(uuid, { account_id })).toMatchObject({
    read_replication: { mode: "auto" },
  })

  await expect(client.d1.database.create({ account_id, name: "one" })).rejects.toThrow("7502")
  const races = await Promise.allSettled(
    Array.from({ length: 8 }, () => client.d1.database.create({ account_id, name: "raced" })),
  )
  expect(races.filter(({ status }) => status === "fulfilled")).toHaveLength(1)

  await client.d1.database.delete(uuid, { account_id })
  await expect(client.d1.database.get(uuid, { account_id })).rejects.toThrow("7404")
  await expect(client.d1.database.delete(uuid, { account_id })).rejects.toThrow("7404")
})

test("an update takes the whole resource, as providers send it, and refuses to change what lasts", async () => {
  const whole = { name: "kept", primary_location_hint: "weur" as const }
  const { uuid = "" } = await client.d1.database.create({ account_id, ...whole })
  const update = async (body: object) => (await send("PUT", `/d1/database/${uuid}`, body))[1]

  const read_replication = { mode: "auto" }
  expect(await update({ ...whole, jurisdiction: null, read_replication })).toMatchObject({
    result: { name: "kept", read_replication },
  })
  for (const change of [{ name: "x" }, { primary_location_hint: "apac" }, { jurisdiction: "eu" }]) {
    const [key] = Object.keys(change)
    expect(await update({ ...whole, ...change, read_replication })).toMatchObject({
      errors: [{ code: 7400, message: expect.stringContaining(`${key} of the database kept`) }],
    })
  }
})

test("one query is one atomic batch", async () => {
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "batch" })
  const query = async (sql: string, params: string[] = []) =>
    (await client.d1.database.query(uuid, { account_id, sql, params })).result

  await query(
    "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT UNIQUE); INSERT INTO a (x) VALUES ('1;2')",
  )
  const failing = query("INSERT INTO a (x) VALUES ('kept?'); INSERT INTO a (x) VALUES ('1;2')")
  await expect(failing).rejects.toThrow(/7500.*UNIQUE constraint failed: a.x: SQLITE_CONSTRAINT/)
  await expect(query("SELECT * FROM nope")).rejects.toThrow("no such table: nope: SQLITE_ERROR")
  await expect(query("")).rejects.toThrow("7500")

  const [rows, counted] = await query("SELECT x FROM a ORDER BY id; SELECT count(*) AS n FROM a")
  expect(rows).toMatchObject({
    success: true,
    results: [{ x: "1;2" }],
    meta: { served_by: "v3-prod" },
  })
  expect(counted).toMatchObject({ results: [{ n: 1 }] })
  expect(await query("SELECT ? AS given", ["x"])).toMatchObject([{ results: [{ given: "x" }] }])

  const raw = await client.d1.database.raw(uuid, { account_id, sql: "SELECT 1 AS a, 2 AS a" })
  expect(raw.result).toMatchObject([{ results: { columns: ["a", "a"], rows: [[1, 2]] } }])
  const empty = await client.d1.database.raw(uuid, { account_id, sql: "SELECT x FROM a WHERE 0" })
  expect(empty.result).toMatchObject([{ results: { columns: ["x"], rows: [] } }])
})

test("D1's limits hold", async () => {
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "limits" })
  const query = (sql: string, params: string[] = []) =>
    client.d1.database.query(uuid, { account_id, sql, params })

  const placeholders = (count: number) => Array.from({ length: count }, () => "?").join(",")
  const values = (count: number) => Array.from({ length: count }, (_, index) => String(index))
  await expect(query(`SELECT ${placeholders(100)}`, values(100))).resolves.toBeDefined()
  await expect(query(`SELECT 1 IN (${placeholders(101)})`, values(101))).rejects.toThrow(
    /7500.*too many SQL variables/,
  )
  await expect(query(`SELECT '${"x".repeat(100_001)}'`)).rejects.toThrow(/7500.*statement too long/)
  await expect(query("SELECT ?", ["x".repeat(2_000_001)])).rejects.toThrow(/7500.*too big/)
  await expect(query("SELECT ?; SELECT ?", ["1", "2"])).rejects.toThrow("7400")
})

test("semicolons end statements", () => {
  expect(splitStatements("SELECT 1; SELECT 2;\nSELECT 3")).toEqual([
    "SELECT 1",
    "SELECT 2",
    "SELECT 3",
  ])
})

test("semicolons in strings, names and comments do not end statements", () => {
  const single = [
    "SELECT 'a;b', 'it''s; fine'",
    'SELECT "a;b" FROM "odd""name;"',
    "SELECT `a;b`",
    "SELECT [a;b]",
    "SELECT 1 -- not; here\n+ 1",
    "SELECT 1 /* nor; here */ + 1",
    "SELECT '-- no comment; at all'",
    "SELECT '/* no comment;'",
  ]
  for (const sql of single) {
    expect(splitStatements(`${sql}; SELECT 2`)).toEqual([sql, "SELECT 2"])
  }
})

test("a trigger is one statement, whatever its body holds", () => {
  const trigger = `CREATE TRIGGER IF NOT EXISTS t AFTER UPDATE ON a BEGIN
    UPDATE a SET x = CASE WHEN new.y > 1 THEN 'one;' ELSE "END" END;
    INSERT INTO log VALUES (CASE new.z WHEN 1 THEN CASE 2 WHEN 2 THEN 3 END END);
  END`
  for (const prefix of ["", "-- why;\n", "/* why; */ "]) {
    expect(splitStatements(`${prefix}${trigger}; SELECT 1`)).toEqual([
      `${prefix}${trigger}`,
      "SELECT 1",
    ])
  }
  const temporary = trigger.replace("CREATE TRIGGER", "create temp trigger")
  expect(splitStatements(`${temporary};SELECT 1`)).toEqual([temporary, "SELECT 1"])
})

test("CASE outside a trigger and BEGIN of a transaction do not start a trigger body", () => {
  expect(splitStatements("SELECT CASE WHEN 1 THEN 2 END; BEGIN; SELECT 1; END; COMMIT")).toEqual([
    "SELECT CASE WHEN 1 THEN 2 END",
    "BEGIN",
    "SELECT 1",
    "END",
    "COMMIT",
  ])
})

test("columns may be named like keywords of triggers", () => {
  const sql = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET "case" = 1, end = new.end; END'
  expect(splitStatements(`${sql}; SELECT 1`)).toEqual([sql, "SELECT 1"])
})

test("text without statements splits into nothing", () => {
  for (const sql of ["", " ;; ;", "-- only a comment", "/* open", "; -- a; b"]) {
    expect(splitStatements(sql)).toEqual([])
  }
})

test("an unterminated string ends with the text and leaves earlier statements intact", () => {
  expect(splitStatements("SELECT 1; SELECT 'open; ended")).toEqual([
    "SELECT 1",
    "SELECT 'open; ended",
  ])
})

test("a long script splits in linear time", () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `INSERT INTO a VALUES ('${index};')`)
  const start = process.cpuUsage()
  expect(splitStatements(rows.join(";\n"))).toEqual(rows)
  // Processor time, which other programs on the machine do not lengthen. Quadratic would be minutes.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
})

test.each([
  "PRAGMA foreign_keys=OFF",
  "pragma Foreign_Keys(false)",
  "-- a dump\nPRAGMA foreign_keys=OFF",
  "/* of today */ PRAGMA /* no */ foreign_keys /* checks */ = /* at */ OFF",
  "SELECT 1; -- then\n/* a */ PRAGMA foreign_keys = 0",
  "PRAGMA main.foreign_keys = off",
  `PRAGMA "foreign_keys" = 'no'`,
  "PRAGMA [foreign_keys](`off`)",
  // SQLite takes whatever it does not know for off.
  "PRAGMA foreign_keys = none",
  "PRAGMA foreign_keys = -1",
])("foreign keys are off after %j", (script) => {
  expect(turnsForeignKeysOff(splitStatements(script))).toBe(true)
})

test.each([
  "PRAGMA foreign_keys",
  "PRAGMA foreign_keys = ON",
  "PRAGMA foreign_keys = 1",
  "-- PRAGMA foreign_keys=OFF\nSELECT 1",
  "SELECT 'PRAGMA foreign_keys=OFF'",
  "PRAGMA defer_foreign_keys = OFF",
  "PRAGMA foreign_key_list(off)",
  "PRAGMA table_info(foreign_keys)",
  "PRAGMA elsewhere.foreign_keys = OFF",
  "INSERT INTO pragma VALUES ('foreign_keys', 'OFF')",
])("foreign keys are as they were after %j", (script) => {
  expect(turnsForeignKeysOff(splitStatements(script))).toBe(false)
})
