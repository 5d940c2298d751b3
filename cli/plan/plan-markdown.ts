import { code, list } from "../../infra/markdown-text.ts"
import { liveText, notCompared, upCommand } from "./plan-text.ts"
import type { Plan } from "./plan.ts"
import { type Line, type Section, sectionsOf } from "./sections.ts"

/** For the summary of a run, or a comment. */
export function planInMarkdown(plan: Plan): string {
  const { stack, digest, changed } = plan
  const live = `Live now: ${code(liveText(plan))}`
  const approve = `Digest: ${code(digest)}. To make exactly these changes: ${code(upCommand(plan))}`
  if (!changed) return `## Plan of ${stack}\n\nNothing changes. ${live}\n\n${approve}`
  const sections = sectionsOf(plan)
  const [losses, others] = [sections.filter(isLoud), sections.filter((one) => !isLoud(one))]
  return [
    `## Plan of ${stack}`,
    ...losses.map(({ lines }) => alert(lines)),
    live,
    ...(plan.compared || plan.live === null ? [] : [notCompared]),
    ...others.map(({ title, lines }) => `### ${title}\n\n${list(lines.map(lineText))}`),
    approve,
  ].join("\n\n")
}

function isLoud({ title }: Section): boolean {
  return title === "danger"
}

function alert(lines: Line[]): string {
  return ["> [!CAUTION]", ...lines.map(({ text }) => `> ${code(text)}`)].join("\n")
}

function lineText({ sign, text, before, after }: Line): string {
  const values = [before, after].filter((value) => value !== undefined).map(code)
  return `${code(`${sign} ${text}`)} ${values.join(" → ")}`.trimEnd()
}
