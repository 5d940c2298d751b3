import { describe, expect, it } from "vitest"

import specification from "../docs/specification.md?raw"

const sources = import.meta.glob<string>("./**/*.workers.test.ts", {
  query: "?raw",
  import: "default",
  eager: true,
})

const rows = specification.split("\n").flatMap((line) => {
  const [, row = "", file = "", test = ""] = line.split("|").map((cell) => cell.trim())
  return file.startsWith("`") && test !== "" ? [{ row, file: file.replaceAll("`", ""), test }] : []
})

describe("docs/specification.md", () => {
  it("names a test for every row", () => {
    expect(rows.length).toBeGreaterThan(50)
  })

  it.each(rows)("$row: $file has the test it names", ({ file, test }) => {
    expect(sources[`./${file}.workers.test.ts`]?.includes(`"${test}"`)).toBe(true)
  })
})
