import { expect, test } from "vitest"

import { copyForNouns } from "./testing/noun-copy.ts"
import { removeNoun } from "./testing/noun-edits.ts"

const removable = ["journal", "consent", "compatibility", "payment"]
const each = [["journal"], ["consent"], ["compatibility", "payment"]]
const removals = process.env["SOAK_BUDGET"] === "full" ? [...each, removable] : [removable]

test.each(removals.map((nouns) => [nouns]))(
  "every test of the service that is left passes without %j",
  async (removed) => {
    await using copy = copyForNouns()
    for (const noun of removed) removeNoun(copy.directory, noun)
    await copy.migrate("removed")
    expect(await copy.describe()).toEqual(["", ""])
    expect(await copy.compile()).toEqual(["", ""])
    // `npm run routes`
    await copy.test("http/routes", "database/bounds", "--update")
    const lines = (await copy.test()).split("\n")
    // What they print besides is far longer than what a failure of this test shows.
    const failures = lines.filter((line) => /^ *(?:FAIL|×|\w*Error:)/.test(line))
    expect(failures).toEqual([])
    expect(lines.join("\n")).toMatch(/Test Files +\d+ passed \(\d+\)/)
  },
)
