import { paintFor, printable } from "../output.ts"

/** What one look at a deployed environment found. */
export type Found = {
  /** `unknown` could not be looked at; `skipped` has nothing to look at here. */
  state: "ok" | "wrong" | "unknown" | "skipped"
  found: string
  /** The command that ends it, or says more. */
  next?: string
}

/** `what` was looked at, such as `drift: Worker accounts`. */
export type Finding = Found & { what: string }

/** Whether somebody has to do something. */
export function needsAttention({ state }: Found): boolean {
  return state === "wrong" || state === "unknown"
}

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
