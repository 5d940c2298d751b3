import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const page = readFileSync(join(root, "docs/assumptions.md"), "utf8")

const rows = page
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
  .flatMap(([, assumed = "", , doubt = "", file = "", title = ""]) =>
    file.includes("/") ? [{ assumed, doubt, file, title }] : [],
  )

test("every row of docs/assumptions.md names a test that exists, and a doubt that can be raised", () => {
  expect(rows.length).toBeGreaterThanOrEqual(10)
  const settings = readFileSync(join(root, "packages/local/faults/settings.ts"), "utf8")
  for (const { assumed, doubt, file, title } of rows) {
    const source = readFileSync(join(root, `${file}.test.ts`), "utf8")
    expect([assumed, source.includes(`"${title}"`)]).toEqual([assumed, true])
    expect([assumed, settings.includes(`  ${doubt}${doubt && ":"}`)]).toEqual([assumed, true])
  }
})
