import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { readCases } from "../lint/testing/cases.ts"
import { guardTable } from "./testing/guard-table.ts"
import { moreStatements } from "./testing/more-statements.ts"
import { copyOfPackage, packageRoot } from "./testing/without-row.ts"

const cases = readCases(join(packageRoot, "apply/testing/real-rows"))

test("each row of the table names code that stands once, and a case or a script that costs nothing", () => {
  const places = guardTable.map(({ file, code }) => {
    const text = readFileSync(join(packageRoot, file), "utf8")
    return { code, times: text.split(code).length - 1 }
  })
  expect(places.filter(({ times }) => times !== 1)).toEqual([])
  const examples = guardTable.flatMap(({ example }) => example ?? [])
  expect(examples.filter((example) => !cases.some(({ name }) => name === example))).toEqual([])
  expect(guardTable.flatMap(({ sql }) => sql ?? []).map(moreStatements)).toEqual([0, 0])
})

test("without a row of each kind its example goes wrong", () => {
  using copy = copyOfPackage()
  const does = ["guards", "leaves out", "compares", "excuses"]
  const firstRows = does.flatMap((doe) => guardTable.find((row) => row.does === doe) ?? [])
  expect(firstRows.map((row) => copy.without(row))).toEqual(["applied", "6", "applied", "stopped"])
})
