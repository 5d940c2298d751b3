import { expect, test } from "vitest"

import { usualNames } from "../names.ts"
import { readDeclarations } from "./declarations.ts"

test("declarations name table, bound and reason", () => {
  const sql = `-- d1:loses session, at most 500 rows: sessions of the former format
DELETE FROM session;
-- d1:loses log, all rows: no query has read it since May
DROP TABLE log; -- d1:empties audit.actor_id, at most 1 row: the actor was a test
-- d1:changes user.email: addresses in small letters
SELECT '-- d1:loses user, all rows: this is text';`
  expect(readDeclarations(sql, usualNames)).toEqual([
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
      reason: "no query has read it since May",
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
  expect(
    readDeclarations("-- of d1: see docs\n--> statement-breakpoint\nSELECT 1;", usualNames),
  ).toEqual([])
})

test.each([
  ["--d1:loses log, all rows: no query reads it", 'line 1: "--d1:loses'],
  ["-- d1:loses log: no query reads it", "is no declaration"],
  ["-- d1:loses log, many rows: no query reads it", "is no declaration"],
  ["-- d1:loses log, at most 1e9 rows: no query reads it", "is no declaration"],
  ["-- d1:loses, all rows: no query reads it", "is no declaration"],
  ["-- d1:deletes log, all rows: no query reads it", "is no declaration"],
  ["-- D1:loses log, all rows: no query reads it", "is no declaration"],
  ["/* d1:loses log, all rows: no query reads it */", "is no declaration"],
  ["-- d1:empties audit, all rows: no query reads it", "is no declaration"],
  ["-- d1:loses log, all rows: old", 'line 1: "old" is no reason'],
  [
    "-- d1:loses log, all rows: no query reads it\n-- d1:loses LOG, at most 1 row: no query reads it",
    "line 2 says again what line 1 says",
  ],
])("what is nearly a declaration is refused: %s", (comment, message) => {
  expect(() => readDeclarations(`${comment}\nSELECT 1;`, usualNames)).toThrow(message)
})
