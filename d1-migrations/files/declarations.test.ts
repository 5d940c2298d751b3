import { expect, test } from "vitest"

import { readDeclarations } from "./declarations.ts"

test("declarations name table, bound and reason", () => {
  const sql = `-- accounts:loses session, at most 500 rows: sessions of the former format
DELETE FROM session;
-- accounts:loses log, all rows: nobody has read it since May
DROP TABLE log; -- accounts:empties audit.actor_id, at most 1 row: the actor was a test
-- accounts:changes user.email: addresses in small letters
SELECT '-- accounts:loses user, all rows: this is text';`
  expect(readDeclarations(sql)).toEqual([
    {
      line: 1,
      does: "loses",
      table: "session",
      atMost: 500,
      reason: "sessions of the former format",
    },
    {
      line: 3,
      does: "loses",
      table: "log",
      atMost: Number.MAX_SAFE_INTEGER,
      reason: "nobody has read it since May",
    },
    {
      line: 4,
      does: "empties",
      table: "audit",
      column: "actor_id",
      atMost: 1,
      reason: "the actor was a test",
    },
    {
      line: 5,
      does: "changes",
      table: "user",
      column: "email",
      reason: "addresses in small letters",
    },
  ])
})

test("other comments declare nothing", () => {
  expect(readDeclarations("-- of accounts: see docs\n--> statement-breakpoint\nSELECT 1;")).toEqual(
    [],
  )
})

test.each([
  ["--accounts:loses log, all rows: nobody reads it", 'line 1: "--accounts:loses'],
  ["-- accounts:loses log: nobody reads it", "is no declaration"],
  ["-- accounts:loses log, many rows: nobody reads it", "is no declaration"],
  ["-- accounts:loses log, at most 1e9 rows: nobody reads it", "is no declaration"],
  ["-- accounts:loses, all rows: nobody reads it", "is no declaration"],
  ["-- accounts:deletes log, all rows: nobody reads it", "is no declaration"],
  ["-- Accounts:loses log, all rows: nobody reads it", "is no declaration"],
  ["/* accounts:loses log, all rows: nobody reads it */", "is no declaration"],
  ["-- accounts:empties audit, all rows: nobody reads it", "is no declaration"],
  ["-- accounts:loses log, all rows: old", 'line 1: "old" is no reason'],
  [
    "-- accounts:loses log, all rows: nobody reads it\n-- accounts:loses LOG, at most 1 row: nobody reads it",
    "line 2 says again what line 1 says",
  ],
])("what is nearly a declaration is refused: %s", (comment, message) => {
  expect(() => readDeclarations(`${comment}\nSELECT 1;`)).toThrow(message)
})
