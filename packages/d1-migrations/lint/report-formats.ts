import { relative, sep } from "node:path"

import type { FileReport } from "./lint-files.ts"
import { describeReport } from "./lint-report.ts"
import { rules } from "./rules.ts"

/** How findings are written; empty where GitHub has nothing to show. */
export const formatReports = {
  text: describeReport,
  json: (files: FileReport[]) => JSON.stringify({ files }),
  github: (reports: FileReport[]) => reports.flatMap(annotationsOf).join("\n"),
  sarif: (reports: FileReport[]) => JSON.stringify(sarifOf(reports)),
}

/** As GitHub reads them in the output of a step, to show them beside the changed lines. */
function annotationsOf({ file, findings }: FileReport): string[] {
  return findings.map(({ level, line, column, rule, message, rewrite }) => {
    const place = `file=${property(pathOf(file))},line=${line},col=${column},title=${property(rule)}`
    return `::${level} ${place}::${escaped(`${message}\n${rewrite}`)}`
  })
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function property(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

/** SARIF 2.1.0, as code scanning takes it. */
function sarifOf(reports: FileReport[]) {
  const ids = [...rules.map(({ name }) => name), "fails", "accept"]
  const driver = { name: "d1-migrations", rules: ids.map((id) => ({ id })) }
  const results = reports.flatMap(({ file, findings }) =>
    findings.map(({ rule, level, line, column, message, rewrite }) => ({
      ruleId: rule,
      level,
      message: { text: `${message}. ${rewrite}` },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(pathOf(file)) },
            region: { startLine: line, startColumn: column },
          },
        },
      ],
    })),
  )
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  }
}

function pathOf(file: string): string {
  return relative("", file).replaceAll(sep, "/")
}
