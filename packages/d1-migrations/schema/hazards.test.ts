import { afterAll, expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { hazards, hazardSchema } from "../lint/testing/corpus/hazards.ts"
import { triedHazard } from "../lint/testing/tried-shapes.ts"
import { findObjections } from "../testing/find-objections.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { openScratchDatabase } from "./scratch-database.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

function refusalsOf(schema: string, sql: string): string[] {
  using scratch = openScratchDatabase()
  scratch.exec(schema)
  return findObjections(scratch, [parseMigration("0001_change.sql", Buffer.from(sql))])
}

test.each(hazards)("$title: judged without the rows", ({ given = "", sql, refusal }) => {
  const found = refusalsOf(hazardSchema + given, sql).join("\n")
  expect(found).toContain(refusal ?? "")
  expect(found === "").toBe(refusal === undefined)
})

test.each(hazards)("$title: $onD1 on D1", async (hazard) => {
  const { title, given, change, losesRows } = triedHazard(hazard)
  const databaseId = await account.createDatabase(title.replaceAll(/[^a-z]+/g, "-").slice(0, 60))
  const query = (text: string) => account.query(databaseId, text)
  await query(given)
  const answered = await query(change).then(
    () => "applied",
    () => "failed",
  )
  const outcome = (await losesRows(query)) ? "loses" : "keeps"
  expect(answered === "failed" ? "fails" : outcome).toBe(hazard.onD1)
})
