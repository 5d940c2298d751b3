import { expect, test } from "vitest"

import specification from "../docs/specification.md?raw"

const sources = import.meta.glob<string>("./**/*.workers.test.ts", {
  query: "?raw",
  import: "default",
  eager: true,
})

const rows = specification.split("\n").flatMap((line) => {
  const [, row = "", file = "", title = ""] = line.split("|").map((cell) => cell.trim())
  // A row of two cells is the title itself.
  return /^`[\w/-]+`$/.test(file)
    ? [{ row, file: file.replaceAll("`", ""), title: title || row }]
    : []
})

test("docs/specification.md names a test for every row", () => {
  expect(rows.length).toBeGreaterThan(50)
})

test.each(rows)("docs/specification.md $row: $file has the test it names", ({ file, title }) => {
  expect(sources[`./${file}.workers.test.ts`]?.includes(`"${title}"`)).toBe(true)
})
