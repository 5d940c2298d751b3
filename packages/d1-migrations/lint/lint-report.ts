import { styleText } from "node:util"

import type { FileReport } from "./lint-files.ts"

/** For people: each finding with its place, then what to write instead. */
export function describeReport(reports: FileReport[]): string {
  return reports.map(describeFile).join("\n")
}

/** Of what a file does to what a database holds. */
const verdicts: Record<FileReport["outcome"], string> = {
  keeps: "keeps every row and value",
  tidies: "keeps every row; values that change are named above",
  tried: "took nothing from made-up rows; real ones are compared when it is applied",
  declared: "loses or changes what it declares, and nothing else",
  "not judged": "could not be judged",
  loses: "would lose rows or values",
  fails: "would fail",
}

function describeFile({ file, outcome, findings, unknown }: FileReport): string {
  const lines = findings.flatMap(({ line, column, level, rule, message, rewrite }) => [
    `${file}:${line}:${column}: ${styleText(level === "error" ? "red" : "yellow", level)} ${rule}: ${message}`,
    `    ${rewrite}`,
  ])
  const missing = unknown.length === 0 ? "" : `; not known here: ${unknown.join(", ")}`
  return [...lines, `${file}: ${verdicts[outcome]}${missing}`].join("\n")
}
