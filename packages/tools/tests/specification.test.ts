import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const specification = readFileSync(join(root, "docs/specification.md"), "utf8")

const inTable = specification.split("\n").flatMap((line) => {
  const [, row = "", file = "", title = ""] = line.split("|").map((cell) => cell.trim())
  return /^`[\w/-]+`$/.test(file) ? [{ row, file: file.replaceAll("`", ""), title }] : []
})

/** Below the name of a file, the titles of its tests. */
const inLists = [...specification.matchAll(/^`([\w/-]+)`\n\n((?:- .*\n)+)/gm)].flatMap(
  ([, file = "", titles = ""]) =>
    [...titles.matchAll(/^- (.*)$/gm)].map(([, title = ""]) => ({ row: title, file, title })),
)

const rows = [...inTable, ...inLists]

test("docs/specification.md names a test for every row", () => {
  expect(inTable.length).toBeGreaterThan(30)
  expect(inLists.length).toBeGreaterThan(25)
})

test.each(rows)("docs/specification.md $row: $file has the test it names", ({ file, title }) => {
  const path = join(root, "app", `${file}.workers.test.ts`)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  expect(text.includes(`"${title}"`)).toBe(true)
})
