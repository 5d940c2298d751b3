import { isDraft } from "./rules/account.ts"
import { type Finding, judge } from "./rules/judge.ts"
import type { Rule } from "./rules/rule.ts"
import { environmentName, listEnvironments, readSubjects } from "./subject.ts"

export type CheckedEnvironment = {
  stack: string
  file: string
  /** Nobody has filled it in yet: what its owner has to bring is no mistake, and `up` refuses it. */
  draft: boolean
  refused: Finding[]
  accepted: Finding[]
  /** What is left to fill in. */
  open: Finding[]
}

/** What its owner brings: hosts, account, secrets. */
const broughtByOwner = new Set(["R10", "R39"])

/** Checks every stack file of a folder beside all others, without an engine, a key or the network. */
export function checkEnvironments(
  directory: string,
  { label = directory, rules }: { label?: string; rules?: Rule[] } = {},
): CheckedEnvironment[] {
  const files = listEnvironments(directory, label)
  return readSubjects(files).map(({ file, subject }) => {
    const draft = isDraft(subject)
    const findings = judge(subject, { locate: subject.source.locate, ...(rules ? { rules } : {}) })
    const unaccepted = findings.filter(({ accepted }) => accepted === undefined)
    const isOpen = ({ rule }: Finding) => draft && broughtByOwner.has(rule)
    return {
      stack: environmentName(file),
      file: file.label,
      draft,
      refused: unaccepted.filter((one) => !isOpen(one)),
      accepted: findings.filter(({ accepted }) => accepted !== undefined),
      open: unaccepted.filter(isOpen),
    }
  })
}
