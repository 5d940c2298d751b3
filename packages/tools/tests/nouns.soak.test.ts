import { expect, test } from "vitest"

import { copyWorkingTree, readRecipe } from "./testing/recipe.ts"

test("without any of the features what is left passes every check, and every test of the service", async () => {
  await using copy = copyWorkingTree()
  await copy.follow(readRecipe("docs/changing.md", "Remove a feature"))
  await copy.follow("npm run check")
  const lines = (await copy.follow("npx vitest run --root app || true")).split("\n")
  // Only the failures, because the whole output is too long to show.
  const failures = lines.filter((line) => /^ *(?:FAIL|×|\w*Error:)/.test(line))
  expect(failures).toEqual([])
  expect(lines.join("\n")).toMatch(/Test Files +\d+ passed \(\d+\)/)
})
