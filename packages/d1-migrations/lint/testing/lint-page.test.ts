import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { isRefused, lintScript } from "../lint.ts"
import { readDrizzleKitRecording } from "./drizzle-kit.ts"
import { lintPage } from "./lint-page.ts"
import { ruleTexts } from "./rule-texts.ts"
import { triedShapes } from "./tried-shapes.ts"

test("rules.md matches the code", () => {
  const page = readFileSync(join(import.meta.dirname, "../../rules.md"), "utf8")
  expect(withoutGuard(page)).toBe(withoutGuard(lintPage(() => "refuses")))
})

/** The guard has tests of its own. */
function withoutGuard(page: string): string {
  return page.replaceAll(/\| (?:refuses|passes) +(?=\|)/g, "")
}

test.each(Object.entries(ruleTexts))(
  "%s finds its own example, and not what stands instead",
  (name, { example: { schema, sql, instead } }) => {
    const verdict = lintScript({ sql, earlier: schema === "" ? [] : [schema] })
    expect(verdict.findings.map(({ rule }) => rule)).toContain(name)
    const corrected = lintScript({ sql: instead, earlier: [schema] })
    expect(isRefused(corrected)).toBe(false)
  },
)

test("drizzle-kit was run on every file of the table, in the version of this project", () => {
  const { versions, verdicts } = readDrizzleKitRecording()
  const titles = triedShapes().map(({ title }) => title)
  expect(Object.keys(verdicts).toSorted()).toEqual(titles.toSorted())
  const Pins = z.record(z.string(), z.string())
  const { dependencies, devDependencies } = z
    .object({ dependencies: Pins, devDependencies: Pins })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../../../../package.json"), "utf8")))
  expect({ ...dependencies, ...devDependencies }).toMatchObject(versions)
})
