import { isDraft } from "./rules/account.ts"
import { type Finding, judge } from "./rules/judge.ts"
import type { Described, Rule } from "./rules/rule.ts"
import { environmentName, listEnvironments, readSubjects, type StackSubject } from "./subject.ts"

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

/** Values of secrets by name, of stack files by label. */
type OpenedSecrets = Map<string, Record<string, string>>

type Options = { label?: string; rules?: Rule[]; opened?: OpenedSecrets }

/**
 * Checks every stack file of a folder beside all others, without an engine, a key or the network.
 * @param options.opened values of secrets, which are judged then
 */
export function checkEnvironments(
  directory: string,
  { label = directory, rules, opened = new Map() }: Options = {},
): CheckedEnvironment[] {
  const files = listEnvironments(directory, label)
  return readSubjects(files).map(({ file, subject: read }) => {
    const subject = withOpened(read, opened)
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

function withOpened(subject: StackSubject, opened: OpenedSecrets): StackSubject {
  const neighbours = subject.neighbours.map((one) => withValues(one, opened.get(one.label)))
  return { ...withValues(subject, opened.get(subject.label)), neighbours }
}

function withValues<One extends Described>(described: One, values?: Record<string, string>): One {
  if (values === undefined) return described
  const { environment } = described
  // A value that lies in clear is there as well.
  const secrets = { ...environment.secrets, ...values }
  return { ...described, opened: true, environment: { ...environment, secrets } }
}
