import { styleText } from "node:util"

import { counted } from "../failure.ts"
import type { FileReport } from "./lint-files.ts"
import type { Finding } from "./lint.ts"

/** How findings are written. */
export const formatReports = {
  text: describeReport,
  json: (files: FileReport[]) => JSON.stringify({ files }),
}

type Entry = { file: string; finding: Finding }

/** For people: each finding with its place, then what to write instead. A warning that comes again and again is said once, at the end. */
function describeReport(reports: FileReport[]): string {
  const entries = reports.flatMap(({ file, findings }) =>
    findings.map((finding) => ({ file, finding })),
  )
  const alike = Map.groupBy(entries, ({ finding }) => contentOf(finding))
  const isRepeated = (finding: Finding) =>
    finding.level === "warning" && (alike.get(contentOf(finding))?.length ?? 0) > 1
  const repeated = [...alike.values()].flatMap(([first, ...repeats]) =>
    first !== undefined && isRepeated(first.finding) ? describeFinding(first, repeats) : [],
  )
  const files = reports.map((report) =>
    describeFile({
      ...report,
      findings: report.findings.filter((finding) => !isRepeated(finding)),
    }),
  )
  return [...files, ...repeated].join("\n")
}

function contentOf({ rule, level, message, rewrite }: Finding): string {
  return JSON.stringify([rule, level, message, rewrite])
}

/** Sentences about the effect of a file on the rows of a database. */
const verdicts: Record<FileReport["outcome"], string> = {
  keeps: "keeps every row and value",
  compared: "takes nothing by its words; every row is compared when it is applied",
  declared: "loses or changes what it declares, and nothing else",
  "not judged": "could not be judged",
  loses: "would lose rows or values",
  fails: "would fail",
}

function describeFile({ file, outcome, findings, unknown }: FileReport): string {
  const lines = findings.flatMap((finding) => describeFinding({ file, finding }))
  const missing = unknown.length === 0 ? "" : `; not known here: ${unknown.join(", ")}`
  const next =
    "    Lint it in the folder of all migrations, or give the schema before it with --schema."
  const isOpen = outcome === "not judged" && !findings.some(({ rule }) => rule === "not-judged")
  return [...lines, `${file}: ${verdicts[outcome]}${missing}`, ...(isOpen ? [next] : [])].join("\n")
}

function describeFinding({ file, finding }: Entry, repeats: Entry[] = []): string[] {
  const { line, column, level, rule, message, rewrite } = finding
  const last = repeats.at(-1)
  const repetition =
    last === undefined
      ? ""
      : ` (and ${counted(repeats.length, "more time")}, up to ${last.file}:${last.finding.line})`
  return [
    `${file}:${line}:${column}: ${styleText(level === "error" ? "red" : "yellow", level)} ${rule}: ${message}${repetition}`,
    `    ${rewrite}`,
  ]
}
