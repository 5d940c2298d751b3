import { project } from "../project/own-project.ts"
import { accountRules } from "./account.ts"
import { behaviourRules } from "./behaviour.ts"
import { cookieRules } from "./cookie.ts"
import { formRules } from "./form.ts"
import { hostRules } from "./host.ts"
import { neighbourRules } from "./neighbour.ts"
import { outboundRules } from "./outbound.ts"
import { routeRules } from "./route.ts"
import { checkRule, type Path, type Rule, sealedKeys, type Subject, type Found } from "./rule.ts"
import { secretRules } from "./secret.ts"

/** Minimum number of characters in a reason. */
const shortestReason = 12

const acceptanceRule: Rule = {
  id: "R51",
  message: "What is accepted is a rule that may be, that finds something here, and for a reason",
  fix: 'remove it, or write accounts:accept: {<rule>: "<reason>"}',
  check: (subject, activeRules) =>
    Object.entries(subject.environment.accept ?? {}).flatMap(([id, reason]): Found[] => {
      const path = ["accounts:accept", id]
      const rule = activeRules.find((candidate) => candidate.id === id)
      if (rule === undefined) return [{ path, reason: "is no rule of docs/environment-rules.md" }]
      if (rule.accept === undefined) return [{ path, reason: "may never be accepted" }]
      if (reason.trim().length < shortestReason) {
        return [{ path, reason: "needs a reason that a reviewer understands" }]
      }
      // Skips files outside `environments/`: some rules compare a file with its neighbours there.
      if (!subject.committed) return []
      const broken = checkRule(rule, subject, activeRules).length > 0
      return broken ? [] : [{ path, reason: "is accepted, but nothing here breaks it" }]
    }),
}

/** Every rule about stack files, including the project's own, by id. Ids never change: files accept rules by them. */
export const rules: Rule[] = [
  ...formRules,
  ...accountRules,
  ...hostRules,
  ...cookieRules,
  ...neighbourRules,
  ...routeRules,
  ...outboundRules,
  ...secretRules,
  ...behaviourRules,
  acceptanceRule,
  ...project.rules,
].toSorted((rule, ruleB) => rule.id.localeCompare(ruleB.id))

/** Finds the place of a value in the file; undefined if there is no file. */
export type Locate = (path: Path) => { line: number; column: number } | undefined

export type Finding = {
  rule: string
  file: string
  line?: number
  column?: number
  /** Path of the value, in the syntax of Pulumi's `--path`. */
  key: string
  reason: string
  fix: string
  /** The reason why the file accepts the finding, which then blocks nothing. */
  accepted?: string
}

/** Returns all findings in one file, in the order of its lines. */
export function judge(
  subject: Subject,
  { rules: judged = rules, locate = () => undefined }: { rules?: Rule[]; locate?: Locate } = {},
): Finding[] {
  const findings: Finding[] = []
  for (const rule of judged) {
    for (const { path, reason, fix = rule.fix, value } of checkRule(rule, subject, judged)) {
      const finding = { rule: rule.id, file: subject.label, key: keyOf(path), reason, fix }
      const accepted = acceptance(rule, subject, value)
      findings.push({
        ...finding,
        ...locate(path),
        ...(accepted === undefined ? {} : { accepted }),
      })
    }
  }
  return findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function acceptance(rule: Rule, { environment }: Subject, value = ""): string | undefined {
  const reason = environment.accept?.[rule.id]
  if (reason === undefined || rule.accept === undefined) return undefined
  return rule.accept === "with a reason" || wordsOf(reason).includes(value) ? reason : undefined
}

/** Splits a reason into whole words, because one host's name may begin with another's. */
function wordsOf(reason: string): string[] {
  return reason.split(/\s+/).map((word) => word.replaceAll(/^["'(]+|["'),.:;]+$/g, ""))
}

function keyOf(path: Path): string {
  const [key = "the file", ...parts] = path
  // A secret may be written by mistake in place of its name.
  const rest = sealedKeys.has(String(key))
    ? parts.map((part) => (/^[\w-]{1,64}$/.test(String(part)) ? part : "(no name)"))
    : parts
  const within = rest.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
  return `${key}${within.join("")}`
}

/** Formats one finding for people: place, key, reason, rule; then the fix. */
export function describeFinding({ file, line, column, ...facts }: Finding): string {
  const place = line === undefined ? "" : `${file}:${line}:${column} `
  const accepted = facts.accepted === undefined ? "" : `\n      Accepted: ${facts.accepted}`
  return `${place}${facts.key} ${facts.reason} [${facts.rule}]\n      Fix: ${facts.fix}${accepted}`
}
