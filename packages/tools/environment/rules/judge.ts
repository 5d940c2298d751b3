import { checkRule, type Path, type Rule, sealedKeys, type Subject } from "./rule.ts"
import { rules as allRules } from "./rules.ts"

/** Where something stands in the file; undefined where there is no file. */
export type Locate = (path: Path) => { line: number; column: number } | undefined

export type Finding = {
  rule: string
  file: string
  line?: number
  column?: number
  /** As Pulumi's own `--path` writes it. */
  key: string
  reason: string
  fix: string
  /** Why the file accepts it; it then stands in nobody's way. */
  accepted?: string
}

/** All that the rules find in one file, in the order of the file. */
export function judge(
  subject: Subject,
  { rules = allRules, locate = () => undefined }: { rules?: Rule[]; locate?: Locate } = {},
): Finding[] {
  const findings: Finding[] = []
  for (const rule of rules) {
    for (const { path, reason, fix = rule.fix, value } of checkRule(rule, subject, rules)) {
      const finding = { rule: rule.id, file: subject.label, key: keyOf(path), reason, fix }
      const accepted = acceptance(rule, subject, value)
      findings.push({
        ...finding,
        ...locate(path),
        ...(accepted === undefined ? {} : { accepted }),
      })
    }
  }
  return findings.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0))
}

function acceptance(rule: Rule, { environment }: Subject, value = ""): string | undefined {
  const reason = environment.accept?.[rule.id]
  if (reason === undefined || rule.accept === undefined) return undefined
  return rule.accept === "with a reason" || wordsOf(reason).includes(value) ? reason : undefined
}

/** Whole words: the name of one host may begin with that of another. */
function wordsOf(reason: string): string[] {
  return reason.split(/\s+/).map((word) => word.replaceAll(/^["'(]+|["'),.:;]+$/g, ""))
}

function keyOf(path: Path): string {
  const [key = "the file", ...parts] = path
  // Somebody may have put a secret where its name belongs.
  const rest = sealedKeys.has(String(key))
    ? parts.map((part) => (/^[\w-]{1,64}$/.test(String(part)) ? part : "(no name)"))
    : parts
  const within = rest.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
  return `${key}${within.join("")}`
}

/** One finding for people: place, key, reason, rule; then what to do. */
export function describeFinding({ file, line, column, ...found }: Finding): string {
  const place = line === undefined ? "" : `${file}:${line}:${column} `
  const accepted = found.accepted === undefined ? "" : `\n      Accepted: ${found.accepted}`
  return `${place}${found.key} ${found.reason} [${found.rule}]\n      Fix: ${found.fix}${accepted}`
}
