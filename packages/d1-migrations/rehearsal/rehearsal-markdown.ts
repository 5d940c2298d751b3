import { counted } from "../failure.ts"
import { noRows, objectsText, rowsText, type Told } from "./rehearsal-text.ts"
import type { Rehearsal } from "./rehearsal.ts"

/** A section of a pull request's comment. */
export function rehearsalMarkdown(rehearsal: Rehearsal, told: Told): string {
  const { rows, files, notRun } = rehearsal
  const { base, problems } = told
  if (files.length === 0) return `No migration is new since ${code(base)}: nothing to rehearse.`
  const cells = files.map((file) => {
    const { cost } = file
    return [
      code(file.name),
      file.class,
      file.outcome,
      code(rowsText(file)),
      cost === undefined ? "" : `${cost.file.rowsRead} / ${cost.file.rowsWritten}`,
    ]
  })
  const head = ["file", "class", "outcome", "rows", "cost (read / written)"]
  const facts = [
    code(objectsText(rehearsal)),
    ...told.facts.map(code),
    ...notRun.map((name) => `Not run: ${code(name)}`),
    ...problems.map((problem) => `**Not as it is:** ${code(problem)}`),
  ]
  return [
    rows === 0
      ? `Rehearsed in a local D1. ${noRows}`
      : `Rehearsed in a local D1 with ${counted(rows, "row")} on ${code(base)}.`,
    [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n"),
    facts.map((fact) => `- ${fact}`).join("\n"),
  ].join("\n\n")
}

/** Text that a branch may choose: no mention, no link, no HTML, no cell of its own. */
function code(text: string): string {
  const seen = text
    .replaceAll("`", "'")
    .replaceAll("\n", " ")
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")
  return `\`${seen.replaceAll(/\\(?=\|)/g, "\\ ").replaceAll("|", "\\|")}\``
}
