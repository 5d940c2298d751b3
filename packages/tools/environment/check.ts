import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { messageOf } from "../base/failure.ts"
import { root as checkout } from "../base/root.ts"
import { project } from "./project/own-project.ts"
import { isDraft } from "./rules/account.ts"
import type { Described, Rule } from "./rules/rule.ts"
import { type Finding, judge } from "./rules/rules.ts"
import {
  type EnvironmentFile,
  environmentName,
  listEnvironments,
  readSubject,
  readSubjects,
  type StackSubject,
} from "./subject.ts"

/** Where GitHub looks for CODEOWNERS. It reads the first file that it finds. */
const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]

/** Matches placeholders for owners, as in this project and in GitHub's documentation. */
const placeholder = /(?:^|\s)(@(?:example|your-|org\/)\S*|\S+@example\.\S+)/i

/** Matches paths that may have no owner, because nothing there runs with keys. */
const free = /^\/(?:(?:packages\/)?bench|docs\/decisions|examples)\/|^\/(?:docs\/)?\*\.md$/

/** A rule about the repository, not about a stack file. */
export const ownersRule = {
  id: "R59",
  message: "Whatever runs with keys, or decides what does, has an owner in CODEOWNERS",
  fix: "let the first line give `*` an owner, and every other line have one but those of /bench/, /examples/ and /docs/*.md",
}

/**
 * Finds files without an owner, and placeholders for owners, for which GitHub requires no review.
 * Placeholders are refused only once a permanent environment is in use.
 */
export function checkOwners(
  root: string,
  environments: { draft: boolean; stack: string }[],
): { refused: Finding[]; open: Finding[] } {
  const file = places.find((place) => existsSync(join(root, place)))
  const findings = file === undefined ? [] : findIn(root, file)
  const used = environments.some(({ draft, stack }) => !draft && isPermanent(stack))
  if (used) return { refused: findings, open: [] }
  const isOpen = ({ rule }: Finding) => rule !== ownersRule.id
  return { refused: findings.filter((finding) => !isOpen(finding)), open: findings.filter(isOpen) }
}

function findIn(root: string, file: string): Finding[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  const findings = lines.flatMap((line, index): Finding[] => {
    const text = line.replace(/#.*/, "")
    const [key = "", ...owners] = text.trim().split(/\s+/)
    const place = { file, line: index + 1, column: 1, key }
    if (key !== "" && owners.length === 0 && !free.test(key)) {
      return [{ ...place, rule: ownersRule.id, reason: "has no owner", fix: ownersRule.fix }]
    }
    const owner = placeholder.exec(text)?.[1]
    if (owner === undefined) return []
    const reason = `is still owned by the placeholder ${owner}, so no review is required`
    const fix = "name your own team, and require the review of code owners"
    return [{ ...place, rule: "R10", column: text.indexOf(owner) + 1, reason, fix }]
  })
  const rest = { rule: ownersRule.id, file, key: "*", reason: "has no owner", fix: ownersRule.fix }
  if (!lines.some((line) => /^\*\s+[^#\s]/.test(line))) findings.push(rest)
  return findings
}

function isPermanent(stack: string): boolean {
  return !/^(?:local|preview)(?:[-.]|$)/.test(stack)
}

type CheckedEnvironment = {
  stack: string
  file: string
  /**
   * Whether the file is not filled in yet. A value that its owner has to add is then no mistake, but `up`
   * refuses the file.
   */
  draft: boolean
  refused: Finding[]
  accepted: Finding[]
  /** Values that are not filled in yet. */
  open: Finding[]
}

/** Rules about values that the owner adds: hosts, account, secrets. */
const broughtByOwner = new Set(["R10", "R39"])

/** Decrypted secrets by name, for each stack file by label. */
type OpenedSecrets = Map<string, Record<string, string>>

type Options = { label?: string; rules?: Rule[]; opened?: OpenedSecrets }

/**
 * Checks every stack file of a folder against all others, without an engine, a key or the network.
 * @param options.opened decrypted secrets, which are then checked as well
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
      refused: unaccepted.filter((finding) => !isOpen(finding)),
      accepted: findings.filter(({ accepted }) => accepted !== undefined),
      open: unaccepted.filter(isOpen),
    }
  })
}

function withOpened(subject: StackSubject, opened: OpenedSecrets): StackSubject {
  const neighbours = subject.neighbours.map((neighbour) =>
    withValues(neighbour, opened.get(neighbour.label)),
  )
  return { ...withValues(subject, opened.get(subject.label)), neighbours }
}

function withValues<One extends Described>(described: One, values?: Record<string, string>): One {
  if (values === undefined) return described
  const { environment } = described
  // Keeps the values that are in plain text.
  const secrets = { ...environment.secrets, ...values }
  return { ...described, opened: true, environment: { ...environment, secrets } }
}

/**
 * Calls the services that a stack file names, such as identity providers for their metadata. Never rejects,
 * because a service that is down for a while must not stop a release.
 * @returns a sentence for each service that does not answer as the file says
 */
export async function outboundWarnings(file: EnvironmentFile): Promise<string[]> {
  if (project.outbound === undefined) return []
  try {
    const { environment } = readSubject(file)
    const { tryOutbound }: { tryOutbound: (environment: object) => Promise<string[]> } =
      await import(pathToFileURL(join(checkout, project.outbound)).href)
    return await tryOutbound(environment)
  } catch (error) {
    return [`The services that ${file.label} names were not asked: ${messageOf(error)}`]
  }
}
