import { createColors } from "picocolors"

import { nextCommand, type StackPlace } from "../local-options.ts"
import { printable, type paint as Paint } from "../output.ts"
import type { Plan } from "./plan.ts"
import { type Line, type Section, sectionsOf } from "./sections.ts"

const margin = 20
/** Characters; longer lines are broken before each value. */
const longest = 100

/** For a terminal, a pipe and a log. */
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

/** The same for the summary of a run, or a comment; a workflow reads the digest from its line. */
export function planInMarkdown(plan: Plan, place?: StackPlace): string {
  const text = planText(plan, createColors(false), place)
  // Every line of others begins deeper than one that ends the block may.
  const block = ["```text", text, "```"].join("\n")
  const digest = `Digest: \`${plan.digest}\`. To make exactly these changes: \`${upCommand(plan, place)}\``
  return [`## Plan of ${plan.stack}`, block, digest].join("\n\n")
}

const notCompared =
  "What the last up deployed is not recorded, so every fact below is shown as new."

function upCommand({ stack, digest }: Plan, place = { stack, local: false }): string {
  return nextCommand("up", place, `--plan ${digest}`)
}

/** Text of the account, which others may have written. */
function liveText({ live, deployed }: Plan): string {
  if (live === null) {
    return deployed
      ? "nothing, although this stack has been deployed before"
      : "nothing: this is the first deployment"
  }
  const { split, author, at, message } = live
  const versions = split.map(({ versionId, percentage }) =>
    percentage === 100 ? versionId : `${versionId} at ${percentage} %`,
  )
  const why = message === "" ? "" : `: ${message}`
  return printable(`version ${versions.join(" and ")}, deployed at ${at} by ${author}${why}`)
}

function sectionText({ title, lines }: Section, paint: typeof Paint): string {
  const loud = title === "danger"
  return lines
    .map((line, index) => {
      const label = (index === 0 ? title : "").padEnd(margin)
      const text = lineText(line)
      const painted = loud ? paint.red(text) : paintLine(line.sign, text, paint)
      return `${loud ? paint.red(label) : label}${painted}`
    })
    .join("\n")
}

function paintLine(sign: Line["sign"], text: string, paint: typeof Paint): string {
  const colours = { "+": paint.green, "-": paint.red, "~": paint.yellow, "!": paint.red }
  return sign === " " ? text : colours[sign](text)
}

function lineText({ sign, text, before, after }: Line): string {
  const said = printable(`${sign} ${text}`)
  if (before === undefined && after === undefined) return said
  const values = [before, after].filter((value) => value !== undefined).map(printable)
  const short = `${said}  ${values.join(" → ")}`
  if (short.length <= longest) return short
  const indent = " ".repeat(margin + 4)
  const [first = "", second] = values
  if (second === undefined) return `${said}\n${indent}${first}`
  return `${said}\n${indent}${first}\n${" ".repeat(margin + 2)}→ ${second}`
}
