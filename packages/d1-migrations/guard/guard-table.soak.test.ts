import { join } from "node:path"

import { expect, test } from "vitest"

import { readCases } from "../lint/testing/cases.ts"
import { guardTable } from "./testing/guard-table.ts"
import { copyOfPackage, packageRoot } from "./testing/without-row.ts"

const cases = readCases(join(packageRoot, "apply/testing/real-rows"))

test("without any row of the table of the guard its example goes wrong", () => {
  using copy = copyOfPackage()
  const outcomes = guardTable.map((row) => {
    const { example, what } = row
    const isHarmful = cases.some(({ name, harm }) => name === example && harm === "yes")
    const right = example === undefined ? "0" : isHarmful ? "stopped" : "applied"
    return { what, right, without: copy.without(row) }
  })
  expect(outcomes.filter(({ right, without }) => right === without)).toEqual([])
}, 600_000)
