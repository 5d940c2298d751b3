import { type BranchRehearsal, growthFactor } from "../../cli/rehearsal/rehearse-branch.ts"
import { markdownTable } from "../../infra/markdown-table.ts"
import { growthText, objectsText, rowsText, workerText } from "./rehearsal-text.ts"
import { growthOf, problemsOf } from "./verdict.ts"

/** A section of a pull request's comment. */
export function rehearsalMarkdown(rehearsal: BranchRehearsal): string {
  const { base, rows, files, notRun, shortages } = rehearsal
  const commit = base.slice(0, 12)
  if (files.length === 0) return `No migration is new since ${code(commit)}: nothing to rehearse.`
  const problems = problemsOf(rehearsal)
  const cells = files.map((file) => {
    const growth = growthOf(rehearsal, file)
    const { cost } = file
    return [
      code(file.name),
      file.class,
      file.outcome,
      code(rowsText(file)),
      cost === undefined ? "" : `${cost.file.rowsRead} / ${cost.file.rowsWritten}`,
      growth === undefined ? "" : growthText(growth),
    ]
  })
  const head = ["file", "class", "outcome", "rows", "cost (read / written)", "growth"]
  const facts = [
    code(objectsText(rehearsal)),
    code(`The base's Worker ${workerText(rehearsal)}`),
    ...notRun.map((name) => `Not run: ${code(name)}`),
    ...shortages.map(
      ({ table, rows: found, reason }) => `${code(table)} got ${found} rows only: ${code(reason)}`,
    ),
    ...problems.map((problem) => `**Not as it is:** ${code(problem)}`),
  ]
  return [
    `Rehearsed in a local D1 with ${rows} and ${rows * growthFactor} rows in each table of ${code(commit)}.`,
    markdownTable(head, cells),
    facts.map((fact) => `- ${fact}`).join("\n"),
  ].join("\n\n")
}

/** Text that a branch may choose: no mention, no link, no HTML, no cell of its own. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("\n", " ").replaceAll("|", "\\|")}\``
}
