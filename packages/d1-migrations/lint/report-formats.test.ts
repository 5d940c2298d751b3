import { expect, test } from "vitest"

import type { FileReport } from "./lint-files.ts"
import { formatReports } from "./report-formats.ts"

const finding = {
  rule: "lost-rows" as const,
  level: "error" as const,
  statement: 1,
  line: 3,
  column: 8,
  message: "100% of note, a:b",
  rewrite: "Copy\r\nthem.",
}
const warning = {
  ...finding,
  rule: "transaction" as const,
  level: "warning" as const,
  line: 1,
  column: 1,
}
const reports: FileReport[] = [
  {
    file: "my migrations/0001_a,b.sql",
    refused: true,
    outcome: "loses",
    unknown: [],
    findings: [warning, finding],
  },
  { file: "b.sql", refused: false, outcome: "keeps", unknown: [], findings: [] },
]

test("text begins each finding with file, line, column, level and rule", () => {
  const text = formatReports.text(reports)
  expect(text).toMatch(/^my migrations\/0001_a,b\.sql:1:1: \S*warning\S* transaction: 100%/)
})

test("text says a warning that comes again once, below what each file does", () => {
  const repeated = reports
    .slice(0, 1)
    .map((report) =>
      Object.assign({}, report, { file: "c.sql", findings: [{ ...warning, line: 7 }, finding] }),
    )
  const lines = formatReports.text([...reports, ...repeated]).split("\n")
  expect(lines.filter((line) => /^\S.*warning/.test(line))).toEqual([
    expect.stringMatching(
      /0001_a,b\.sql:1:1: .*: 100% of note, a:b \(and 1 more time, up to c\.sql:7\)$/,
    ),
  ])
  expect(lines.findIndex((line) => line.includes("more time"))).toBeGreaterThan(
    lines.findIndex((line) => line.startsWith("c.sql: would lose")),
  )
  expect(lines.filter((line) => /error.* lost-rows/.test(line))).toHaveLength(2)
})
