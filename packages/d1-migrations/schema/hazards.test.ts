import { afterAll, expect, test } from "vitest"

import { isRefused, lintScript } from "../lint/lint.ts"
import { hazards, hazardSchema } from "../lint/testing/corpus/hazards.ts"
import { triedHazard } from "../lint/testing/tried-shapes.ts"
import { startLocalD1 } from "../testing/local-d1.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

test.each(hazards.filter(({ onD1 }) => onD1 !== "keeps"))(
  "$title: refused without the rows",
  ({ given = "", sql }) => {
    expect(isRefused(lintScript({ sql, earlier: [hazardSchema + given] }))).toBe(true)
  },
)

test.each(hazards)("$title: $onD1 on D1", async (hazard) => {
  const { title, given, change, losesRows } = triedHazard(hazard)
  const databaseId = await account.createDatabase(title.replaceAll(/[^a-z]+/g, "-").slice(0, 60))
  const query = (text: string) => account.query(databaseId, text)
  await query(given)
  const answer = await query(change).then(
    () => "applied",
    () => "failed",
  )
  const outcome = (await losesRows(query)) ? "loses" : "keeps"
  expect(answer === "failed" ? "fails" : outcome).toBe(hazard.onD1)
})
