import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { copyForNouns } from "./testing/noun-copy.ts"
import { addNoun, removeNoun } from "./testing/noun-edits.ts"

/** Tests that look at every table, route or example there is. */
const wide = ["user/user", "openapi/openapi", "openapi/examples", "rpc/reader"]

test("a noun is removed by its folder and its lines in the registries, and another takes its place", async () => {
  await using copy = copyForNouns()
  const { directory } = copy
  const changed = ["journal", "compatibility", "payment"].map((noun) => removeNoun(directory, noun))
  expect(changed.map((files) => files.length).every((count) => count <= 10)).toBe(true)
  expect(existsSync(join(directory, "app/journal"))).toBe(false)
  const words = readFileSync(join(directory, "app/pages/words/en/account.ts"), "utf8")
  expect(words).not.toMatch(/journal|compatibility/)
  expect((await copy.migrate("removed")).sql).toMatch(/DROP TABLE `journal_entry`/)
  addNoun(directory, { noun: "pledge", like: "consent" })
  expect((await copy.migrate("pledges")).sql).toMatch(/CREATE TABLE `pledge`/)
  expect(await copy.describe()).toEqual(["", ""])
  expect(await copy.compile()).toEqual(["", ""])
  expect(await copy.test(...wide, "consent", "pledge")).toMatch(/Test Files +(\d+) passed \(\1\)/)
})
