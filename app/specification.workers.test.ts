import { expect, test } from "vitest"

import specification from "../docs/specification.md?raw"

const sources = import.meta.glob<string>("./**/*.workers.test.ts", {
  query: "?raw",
  import: "default",
  eager: true,
})

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
  expect(inTable.length).toBeGreaterThan(50)
  expect(inLists.length).toBeGreaterThan(25)
})

test.each(rows)("docs/specification.md $row: $file has the test it names", ({ file, title }) => {
  expect(sources[`./${file}.workers.test.ts`]?.includes(`"${title}"`)).toBe(true)
})
