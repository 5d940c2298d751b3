import { join } from "node:path"

import { expect, test } from "vitest"

import { sqliteD1 } from "../d1/sqlite.ts"
import { lintScript } from "../lint/lint.ts"
import { type Case, readCases } from "../lint/testing/cases.ts"
import { applyCase } from "./testing/apply-case.ts"
import { differencesOf, everyCell } from "./testing/every-cell.ts"

const cases = readCases(join(import.meta.dirname, "testing/real-rows"))
/** Sends a file as wrangler does, without judgement or guard. @returns the rows that are missing afterwards */
async function plain({ before: schema, rows, change }: Case) {
  using d1 = sqliteD1()
  await d1.change(schema)
  await d1.change(rows)
  const before = await everyCell(d1)
  await d1.change(change)
  return differencesOf(before, await everyCell(d1))
}

/** Losses that a comparison of cells cannot see: of the index of a contentless table, of rowids or the last number of AUTOINCREMENT, and duplicated rows. */
const withoutCells = new Set([
  "contentless-made-again",
  "moved-values-multiplied-by-a-join",
  "numbers-kept-in-a-plain-column",
  "rowids-beside-a-descending-key",
  "rowids-kept-elsewhere",
  "rowids-kept-elsewhere-after-a-change",
  "rowids-kept-elsewhere-beside-none",
  "rowids-kept-elsewhere-of-a-sorted-copy",
  "rowids-of-full-text-content",
  "rows-inserted-again",
  "rows-inserted-again-beyond-what-is-declared",
  "rows-inserted-again-by-way-of-another-table",
  "rows-inserted-again-from-a-table-like-it",
  "rows-inserted-again-in-words-no-parser-knows",
  "rows-inserted-again-under-names",
  "rows-inserted-again-under-new-keys",
  "sequence-left-out-by-a-rebuild",
  "sequence-set-back",
  "sequence-set-back-after-a-rebuild",
  "sequences-deleted",
  "untried-contentless-delete-all",
])

test.each(cases.filter(({ harm }) => harm === "yes"))(
  "$name: takes something from real rows, and is stopped with nothing done",
  async (realCase) => {
    const { up, before, after } = await applyCase(realCase)
    expect(up).not.toBe("applied")
    expect(differencesOf(before, after)).toEqual([])
    if (withoutCells.has(realCase.name)) return
    expect(await plain(realCase)).not.toEqual([])
  },
)

test.each(cases.filter(({ harm }) => harm === "no"))("$name: is applied", async (realCase) => {
  expect((await applyCase(realCase)).up).toBe("applied")
})

test("lint never says that a file keeps every value which takes some from real rows", () => {
  const outcomes = cases.map(({ name, harm, lint, before, change }) => {
    const { outcome } = lintScript({ sql: change, earlier: [before] })
    return { name, harm, lint, outcome }
  })
  expect(outcomes.map(({ name, outcome }) => [name, outcome])).toEqual(
    outcomes.map(({ name, lint }) => [name, lint]),
  )
  const wrong = outcomes.filter(
    ({ harm, outcome }) => harm === "yes" && /keeps|tidies/.test(outcome),
  )
  expect(wrong.map(({ name }) => name)).toEqual([])
})
