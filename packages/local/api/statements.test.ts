import { expect, test } from "vitest"

import { splitStatements } from "./statements.ts"

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
