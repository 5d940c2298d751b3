import { expect, test } from "vitest"

import { copyForNouns } from "./testing/noun-copy.ts"
import { removeNoun } from "./testing/noun-edits.ts"

test.each([
  [["journal"]],
  [["consent"]],
  [["compatibility", "payment"]],
  [["journal", "consent", "compatibility", "payment"]],
])("every test of the service that is left passes without %j", async (removed) => {
  await using copy = copyForNouns()
  for (const noun of removed) removeNoun(copy.directory, noun)
  expect(await copy.describe()).toEqual(["", ""])
  expect(await copy.compile()).toEqual(["", ""])
  // `npm run routes`
  await copy.test("http/routes", "--update")
  expect(await copy.test()).toMatch(/Test Files +\d+ passed \(\d+\)/)
})
