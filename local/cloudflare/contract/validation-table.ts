import { code } from "../protocol/error-code.ts"
import type { Validation } from "./validations.ts"
import { validations } from "./validations.ts"

/** A Markdown document; its table is padded as the formatter pads it. */
export function renderValidations(): string {
  const rows = Object.entries(validations).flatMap(([file, refusals]) =>
    refusals.map((one) => [one.what, numberOf(one), one.source, `\`${file}\``]),
  )
  const head = ["Refused", "Code", "Source of the rule", "File"]
  const widths = head.map((_, index) =>
    Math.max(...[head, ...rows].map((row) => (row[index] ?? "").length)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`
  return [
    "# What the local Cloudflare's API refuses, and how that is known",
    "",
    "Written by `npx vitest run -u local/cloudflare/contract/validation-table.test.ts` from",
    "`local/cloudflare/contract/validations.ts`. `own` are refusals for which Cloudflare has no case.",
    "",
    describeValidations(),
    "",
    line(head),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...rows.map(line),
    "",
  ].join("\n")
}

function describeValidations(): string {
  const all = Object.values(validations).flat()
  const cloudflares = all.filter(({ source }) => source !== "own")
  const assumed = cloudflares.filter(({ source }) => source === "assumed")
  const share = Math.round((100 * assumed.length) / cloudflares.length)
  return `${all.length} refusals, ${all.length - cloudflares.length} of them own. Of the other ${cloudflares.length}, ${assumed.length} are assumed (${share} %).`
}

function numberOf({ code: name }: Validation): string {
  return name === "*" ? "by route" : String(code[name])
}
