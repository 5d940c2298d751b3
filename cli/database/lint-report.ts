import { paint } from "../output.ts"
import type { FileReport } from "./lint-files.ts"

/** For people: each finding with its place, then what to write instead. */
export function describeReport(reports: FileReport[]): string {
  return reports.map(describeFile).join("\n")
}

function describeFile({ file, refused, findings, unknown }: FileReport): string {
  const lines = findings.flatMap(({ line, column, level, rule, message, rewrite }) => [
    `${file}:${line}:${column}: ${paint[level === "error" ? "red" : "yellow"](level)} ${rule}: ${message}`,
    `    ${rewrite}`,
  ])
  const guessed =
    unknown.length === 0 ? [] : [`${file}: made in files that are not here: ${unknown.join(", ")}`]
  const verdict = refused ? "would lose rows or fail" : "keeps every row"
  return [...lines, ...guessed, `${file}: ${verdict}`].join("\n")
}
