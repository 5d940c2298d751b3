import { expect, test } from "vitest"
import * as z from "zod"

import type { FileReport } from "./lint-files.ts"
import { formatReports } from "./report-formats.ts"

const finding = {
  rule: "lost-rows",
  level: "error" as const,
  statement: 1,
  line: 3,
  column: 8,
  message: "100% of note, a:b",
  rewrite: "Copy\r\nthem.",
}
const warning = { ...finding, rule: "transaction", level: "warning" as const, line: 1, column: 1 }
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
  const again = reports
    .slice(0, 1)
    .map((one) =>
      Object.assign({}, one, { file: "c.sql", findings: [{ ...warning, line: 7 }, finding] }),
    )
  const lines = formatReports.text([...reports, ...again]).split("\n")
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

test("GitHub shows findings beside the lines, with what its commands reserve escaped", () => {
  expect(formatReports.github(reports).split("\n")).toEqual([
    "::warning file=my migrations/0001_a%2Cb.sql,line=1,col=1,title=transaction::100%25 of note, a:b%0ACopy%0D%0Athem.",
    "::error file=my migrations/0001_a%2Cb.sql,line=3,col=8,title=lost-rows::100%25 of note, a:b%0ACopy%0D%0Athem.",
  ])
  expect(formatReports.github(reports.slice(1))).toBe("")
})

const Text = z.strictObject({ text: z.string().min(1) })
/** Of the schema of SARIF 2.1.0 what is required, and the properties that are written. */
const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          rules: z
            .array(z.strictObject({ id: z.string().min(1) }))
            .refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length),
        }),
      }),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          level: z.enum(["none", "note", "warning", "error"]),
          message: Text,
          locations: z.array(
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({ uri: z.string().regex(/^[^\s\\]+$/) }),
                region: z.strictObject({
                  startLine: z.int().min(1),
                  startColumn: z.int().min(1),
                }),
              }),
            }),
          ),
        }),
      ),
    }),
  ),
})

test("SARIF is of version 2.1.0, and every result names a rule of the driver", () => {
  const absolute = reports.map((one) => ({ ...one, file: `${process.cwd()}/${one.file}` }))
  for (const given of [reports, absolute]) {
    const [run] = Sarif.parse(JSON.parse(formatReports.sarif(given))).runs
    expect(run?.results.map(({ level }) => level)).toEqual(["warning", "error"])
    const [place] = run?.results.flatMap(({ locations }) => locations) ?? []
    expect(place?.physicalLocation).toEqual({
      artifactLocation: { uri: "my%20migrations/0001_a,b.sql" },
      region: { startLine: 1, startColumn: 1 },
    })
    const ids = run?.tool.driver.rules.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(["lost-rows", "transaction", "fails", "accept"]))
  }
})
