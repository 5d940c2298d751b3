import { createColors } from "picocolors"

import { describeDeployment } from "../../deploy/release/deployments.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { printable, type paint as Paint } from "../output.ts"
import { margin, sectionText, textBlock } from "../review/change-text.ts"
import type { Plan } from "./plan.ts"
import { sectionsOf } from "./sections.ts"

/** Renders a plan for a terminal, a pipe or a log. */
export function planText(plan: Plan, paint: typeof Paint, place?: StackPlace): string {
  const { stack, digest, changed } = plan
  const live = `${"live now".padEnd(margin)}${liveText(plan)}`
  if (!changed) return `${stack}: nothing changes. Live now: ${liveText(plan)}`
  const parts = sectionsOf(plan, place).map((section) => sectionText(section, paint))
  return [
    `Plan of ${paint.bold(stack)}, digest ${digest}`,
    live,
    ...(plan.compared || plan.live === null ? [] : [`${" ".repeat(margin)}${notCompared}`]),
    ...parts,
    "",
    `To make exactly these changes: ${upCommand(plan, place)}`,
  ].join("\n")
}

/** Renders a plan for a run's summary or a comment. A workflow parses the line with the digest. */
export function planInMarkdown(plan: Plan, place?: StackPlace): string {
  const text = planText(plan, createColors(false), place)
  const digest = `Digest: \`${plan.digest}\`. To make exactly these changes: \`${upCommand(plan, place)}\``
  return [`## Plan of ${plan.stack}`, textBlock(text), digest].join("\n\n")
}

const notCompared =
  "What the last up deployed is not recorded, so every fact below is shown as new."

function upCommand({ stack, digest }: Plan, place = { stack, local: false }): string {
  return nextCommand("up", place, `--plan ${digest}`)
}

/** Describes the live deployment. Other users may have written its message. */
function liveText({ live, deployed }: Plan): string {
  if (live !== null) return printable(describeDeployment(live))
  return deployed
    ? "nothing, although this stack has been deployed before"
    : "nothing: this is the first deployment"
}
