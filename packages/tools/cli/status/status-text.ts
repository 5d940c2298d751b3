import { paintFor, printable } from "../output.ts"
import { type Finding, needsAttention } from "./finding.ts"

/** One screen, what needs attention first. */
export function statusText(findings: Finding[]): string {
  const paint = paintFor(process.stdout)
  const mark = {
    ok: paint.green("✓"),
    wrong: paint.red("✗"),
    unknown: paint.red("?"),
    skipped: "–",
  }
  return findings
    .toSorted((one, other) => +needsAttention(other) - +needsAttention(one))
    .map(({ what, state, found, next }) => {
      const way = next === undefined ? "" : `\n    ${paint.dim(next)}`
      return `${mark[state]} ${what}: ${linesOf(found).join("\n    ")}${way}`
    })
    .join("\n")
}

function linesOf(text: string): string[] {
  return text.split("\n").map(printable)
}

/** For an issue: what needs attention, each with the command that ends it. */
export function statusInMarkdown(stack: string, findings: Finding[]): string {
  const wrong = findings.filter(needsAttention)
  if (wrong.length === 0) return `All is well with \`${stack}\`.`
  const items = wrong.map(({ what, found, next }) => {
    const text = linesOf(found).join(" ").replaceAll("`", " ")
    return `- **${what}**: \`${text}\`${next === undefined ? "" : `\n  Next: \`${next}\``}`
  })
  return [`What needs attention in \`${stack}\`:`, "", ...items].join("\n")
}
