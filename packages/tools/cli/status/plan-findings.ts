import { nextCommand, type StackPlace } from "../local-options.ts"
import { paintFor, printable } from "../output.ts"
import { describeDrift, type Drift, explainDrift } from "../plan/drift.ts"
import type { Plan } from "../plan/plan.ts"
import { summarizeChanges } from "../stack/progress.ts"

/** Resources that are deleted with a Worker, or with a database. */
const partsOf = {
  Worker: /^(?:Version|Release|Verification|CronTriggers|WorkersCustomDomain|WorkersRoute) /,
  D1Database: /^Migrations /,
}

/** The drift that was read before the plan failed. */
export type Unplanned = Pick<Plan, "stack" | "drift"> & { live?: undefined; failure: string }

/**
 * Finds drift since the last `up`, and changes that the next `up` would make.
 * @param deployable whether the stack file is valid; otherwise another finding says why nothing can be deployed
 */
export function planFindings(
  plan: Plan | Unplanned,
  deployable: boolean,
  place: StackPlace = { stack: plan.stack, local: false },
): Finding[] {
  const drift = driftFindings(plan, place)
  if ("failure" in plan) return [...drift, { what: "plan", state: "unknown", found: plan.failure }]
  const waiting = deployable ? waitingOf(plan, place) : []
  if (drift.length + waiting.length > 0) return [...drift, ...waiting]
  return [{ what: "plan", state: "ok", found: "the account is as the last up left it" }]
}

export function isGone(drift: Drift[], kind: string): boolean {
  return drift.some(({ resource, found }) => resource.startsWith(`${kind} `) && found === "gone")
}

function driftFindings(plan: Unplanned | Plan, place: StackPlace): Finding[] {
  const { drift } = plan
  const { own, rows } = explainDrift(plan, (verb) => nextCommand(verb, place))
  const goneKinds = Object.entries(partsOf).filter(([kind]) => isGone(drift, kind))
  const drifts = rows.filter(({ resource }) => !goneKinds.some(([, parts]) => parts.test(resource)))
  const ofCommand: Finding[] = own
    ? [{ what: "release", state: "wrong", found: `${own.done}: ${own.up}`, next: own.next }]
    : []
  const byResource = Object.entries(Object.groupBy(drifts, ({ resource }) => resource))
  const ofOthers = byResource.map(([resource, resourceDrift = []]): Finding => {
    const next = resource.startsWith("D1Database ")
      ? `${nextCommand("plan", place)}, then ${nextCommand("database restore", place)}`
      : nextCommand("up", place)
    return {
      what: `drift: ${resource}`,
      state: "wrong",
      found: resourceDrift.map(describeDrift).join("; "),
      next,
    }
  })
  return [...ofCommand, ...ofOthers]
}

/** Finds undeployed changes of the checkout. A plan that only repairs drift has its own findings. */
function waitingOf(plan: Plan, place: StackPlace): Finding[] {
  const { changes, facts, migrations, drift, changed } = plan
  if (!changed || (drift.length > 0 && facts.length + migrations.length === 0)) return []
  const pending = migrations.map(({ name }) => `, ${name} is pending`).join("")
  const waiting = `the checkout is not deployed: ${summarizeChanges(changes)}${pending}`
  return [
    {
      what: "plan",
      state: "wrong",
      found: waiting,
      next: `${nextCommand("plan", place)}, then up`,
    },
  ]
}

/** The result of a check of a deployed environment. */
export type Found = {
  /** `unknown`: the check failed. `skipped`: there is nothing to check. */
  state: "ok" | "wrong" | "unknown" | "skipped"
  found: string
  /** The command that resolves it or shows more. */
  next?: string
}

/** `what` is the subject of the check, such as `drift: Worker accounts`. */
export type Finding = Found & { what: string }

/** Whether an operator must act. */
export function needsAttention({ state }: Found): boolean {
  return state === "wrong" || state === "unknown"
}

/** Renders the findings for a terminal, urgent findings first. */
export function statusText(findings: Finding[]): string {
  const paint = paintFor(process.stdout)
  const mark = {
    ok: paint.green("✓"),
    wrong: paint.red("✗"),
    unknown: paint.red("?"),
    skipped: "–",
  }
  return findings
    .toSorted((finding, nextFinding) => +needsAttention(nextFinding) - +needsAttention(finding))
    .map(({ what, state, found, next }) => {
      const way = next === undefined ? "" : `\n    ${paint.dim(next)}`
      return `${mark[state]} ${what}: ${linesOf(found).join("\n    ")}${way}`
    })
    .join("\n")
}

function linesOf(text: string): string[] {
  return text.split("\n").map(printable)
}

/** Renders an issue: the findings that need attention, each with the command that resolves it. */
export function statusInMarkdown(stack: string, findings: Finding[]): string {
  const wrong = findings.filter(needsAttention)
  if (wrong.length === 0) return `All is well with \`${stack}\`.`
  const items = wrong.map(({ what, found, next }) => {
    const text = linesOf(found).join(" ").replaceAll("`", " ")
    return `- **${what}**: \`${text}\`${next === undefined ? "" : `\n  Next: \`${next}\``}`
  })
  return [`What needs attention in \`${stack}\`:`, "", ...items].join("\n")
}
