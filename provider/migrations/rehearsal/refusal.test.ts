import { isDeepStrictEqual } from "node:util"

import { afterAll, expect, test } from "vitest"

import { openAccount } from "../../testing/account.ts"
import { startLocalCloudflare } from "../../testing/local-cloudflare.ts"
import { parseMigration } from "../migration-files.ts"
import { hazardRows, hazards, hazardSchema } from "./hazards.ts"
import { findRefusals } from "./refusal.ts"
import { openScratchDatabase } from "./scratch-database.ts"

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
afterAll(() => cloudflare[Symbol.asyncDispose]())

function refusalsOf(schema: string, sql: string): string[] {
  using scratch = openScratchDatabase()
  scratch.exec(schema)
  return findRefusals(scratch, [parseMigration("0001_change.sql", Buffer.from(sql))])
}

test.each(hazards)("$title: judged without the rows", ({ given = "", sql, refusal }) => {
  const expected = refusal === undefined ? [] : [refusal]
  expect(refusalsOf(hazardSchema + given, sql)).toEqual(
    expected.map((words) => expect.stringContaining(words)),
  )
})

/** By table: a column, and how many rows have a value in it as long as nothing is lost. */
const counted: [table: string, column: string, rows: number][] = [
  ["session", "id", 2],
  ["result", "id", 1],
  ["payment", "id", 1],
  ["audit", "actor_id", 1],
  ["usage", "user_id", 1],
  ["page", "nullif(theme_id, 1)", 1],
  ["category", "parent_id", 1],
  ["chair", "id", 1],
  ["decision", "admin_id", 1],
]

test.each(hazards)("$title: $onD1 on D1", async ({ title, given = "", sql, onD1 }) => {
  const databaseId = await account.createDatabase(title.replaceAll(/[^a-z]+/g, "-").slice(0, 60))
  const query = (text: string) => account.query(databaseId, text)
  await query(hazardSchema + given + hazardRows)
  const answered = await query(sql).then(
    () => "applied",
    () => "failed",
  )
  const left = await Promise.all(
    counted.map(async ([table, column, rows]) => {
      const found = await query(`SELECT count(${column}) AS rows FROM ${table}`).catch(() => [])
      // A table that is gone was dropped in words.
      return found.length === 0 || isDeepStrictEqual(found, [{ rows }])
    }),
  )
  const outcome = left.every(Boolean) ? "keeps" : "loses"
  expect(answered === "failed" ? "fails" : outcome).toBe(onD1)
})
