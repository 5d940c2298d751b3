import { DatabaseSync } from "node:sqlite"

import { expect, test } from "vitest"

import { splitStatements } from "./statements.ts"

function texts(script: string) {
  return splitStatements(script).map(({ sql }) => sql)
}

test("semicolons in text, names and comments end nothing", () => {
  const script = `-- one; two
CREATE TABLE "a;b" (x TEXT DEFAULT 'it''s; fine', [c;d] INT, \`e;f\` INT); /* ; */
INSERT INTO "a;b" (x) VALUES ('-- no comment; /* neither */');`
  expect(texts(script)).toEqual([
    `CREATE TABLE "a;b" (x TEXT DEFAULT 'it''s; fine', [c;d] INT, \`e;f\` INT);`,
    `INSERT INTO "a;b" (x) VALUES ('-- no comment; /* neither */');`,
  ])
})

test("a trigger ends at its END, not at an END of CASE or a column's name", () => {
  const trigger = `create temp trigger if not exists t after insert on a begin
    update a set x = case when x > 1 then 2 else 3 end;
    update a set x = (select "end" from b);
  end /* done */ ;`
  expect(texts(`${trigger} SELECT 1;`)).toEqual([trigger, "SELECT 1;"])
})

test("a column called trigger is a column", () => {
  expect(texts("SELECT trigger FROM a; SELECT 2;")).toHaveLength(2)
  expect(texts("CREATE TABLE trigger_log (trigger TEXT); SELECT 2;")).toHaveLength(2)
})

test("neither an empty statement nor a comment is a statement", () => {
  expect(texts(";;\n -- nothing\n ; /* nothing */")).toEqual([])
})

test("lines count from 1, at the first word behind the comments", () => {
  const lines = splitStatements("\n-- first\nSELECT 1;\n\n/* a\nb */ SELECT\n2").map(
    ({ line, terminated }) => ({ line, terminated }),
  )
  expect(lines).toEqual([
    { line: 3, terminated: true },
    { line: 6, terminated: false },
  ])
})

test.each([
  ["SELECT 'open;\nSELECT 2;", "line 1: the text in '' never ends"],
  ['SELECT 1;\nSELECT "open;', 'line 2: the name in "" never ends'],
  ["SELECT 1; /* open;\n", "line 1: the comment never ends"],
  ["\nCREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;", "line 2: the trigger never reaches"],
])("what would swallow the statement behind it is refused: %s", (script, message) => {
  expect(() => splitStatements(script)).toThrow(message)
})

test("a script of 5 MB takes about four times as long to split as a quarter of it", () => {
  const line = "INSERT INTO a (x) VALUES ('some text', 12345, \"name\"); -- row\n"
  const effort = (rows: number) => {
    const script = line.repeat(rows)
    const start = process.cpuUsage()
    expect(splitStatements(script)).toHaveLength(rows)
    return process.cpuUsage(start).user
  }
  effort(20_000)
  // It would be 16 if each statement were searched for from the start.
  expect(effort(80_000) / effort(20_000)).toBeLessThan(10)
})

test("SQLite agrees about where statements end, for 2,000 random scripts", () => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE a (x TEXT, trigger TEXT)")
  const random = generator(20_261_121)
  for (let round = 0; round < 2000; round += 1) {
    const written = Array.from({ length: 1 + random(5) }, () => statement(random))
    const script = written.map((sql) => blank(random) + sql + blank(random)).join("")
    const statements = texts(script)
    expect({ script, count: statements.length }).toEqual({ script, count: written.length })
    // prepare() compiles only the first statement: a piece cut too short or too long shows.
    for (const sql of statements) {
      expect({ sql, tail: tailOf(database, sql) }).toEqual({ sql, tail: "" })
    }
  }
})

/** The rest that SQLite leaves after compiling the first statement. */
function tailOf(database: DatabaseSync, sql: string): string {
  const compiled = database.prepare(sql).sourceSQL
  return sql.slice(compiled.length)
}

type Random = (below: number) => number

function generator(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function pick(random: Random, choices: string[]): string {
  return choices[random(choices.length)] ?? ""
}

function blank(random: Random): string {
  return pick(random, ["", " ", "\n", "-- ' ; end\n", '/* " ; begin */', "\t/**/ --;\n"])
}

function value(random: Random): string {
  const values = ["1", "'a;b'", "''", "'it''s'", "'--'", "'/*'", "x'00'", "NULL", "-1", "1 / 2"]
  const conditional = `CASE WHEN ${pick(random, values)} THEN 'end;' ELSE 2 END`
  return pick(random, [...values, conditional])
}

function simple(random: Random): string {
  const gap = blank(random)
  return pick(random, [
    `SELECT ${value(random)}${gap} AS "end;"`,
    `INSERT${gap} INTO a (x, trigger) VALUES (${value(random)},${gap} ${value(random)})`,
    `UPDATE a SET x = ${value(random)} WHERE [x] = ${value(random)}`,
    `DELETE FROM a ${gap} WHERE \`x\` = ${value(random)}`,
  ])
}

function statement(random: Random): string {
  if (random(4) > 0) return `${simple(random)}${blank(random)};`
  const body = Array.from({ length: 1 + random(3) }, () => `${simple(random)};`).join(blank(random))
  const temporary = pick(random, ["", "TEMP ", "temporary\n"])
  const name = `t${random(1_000_000)}`
  return `CREATE ${temporary}TRIGGER ${name} AFTER INSERT ON a BEGIN ${body}${blank(random)} END;`
}
