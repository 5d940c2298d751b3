import type { Difference } from "../../infra/environment/effective/compare.ts"
import { markdownTable } from "../../infra/markdown-table.ts"

type Names = [one: string, other: string]

/** Two columns; ✓ marks what a rule requires, ? what somebody should be able to explain. */
export function differencesInMarkdown(names: Names, differences: Difference[]): string {
  if (differences.length === 0) return "They do not differ."
  const rows = differences.map(({ section, key, before, after, required }) => [
    required === undefined ? "?" : `✓ ${required}`,
    `${section}: ${key}`,
    before ?? "-",
    after ?? "-",
  ])
  return markdownTable(["", "What", ...names], rows)
}

export function differencesForPeople([one, other]: Names, differences: Difference[]): string {
  if (differences.length === 0) return "They do not differ."
  const width = Math.max(one.length, other.length)
  const unexplained = differences.filter(({ required }) => required === undefined).length
  const rows = differences.map(({ section, key, before, after, required }) =>
    [
      `${required === undefined ? "?" : `✓ ${required}`} ${section}: ${key}`,
      `    ${one.padEnd(width)}  ${before ?? "-"}`,
      `    ${other.padEnd(width)}  ${after ?? "-"}`,
    ].join("\n"),
  )
  const summary = `${differences.length} differences, ${unexplained} of them not required by a rule (?)`
  return [...rows, summary].join("\n")
}
