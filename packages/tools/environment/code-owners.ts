import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import type { Finding } from "./rules/judge.ts"

/** Where GitHub looks for the file: it reads the first that it finds. */
const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]

/** As this project ships it, and as GitHub's documentation writes them. */
const placeholder = /(?:^|\s)(@(?:example|your-|org\/)\S*|\S+@example\.\S+)/i

/** What may have no owner: no key is anywhere near it. */
const free = /^\/(?:(?:packages\/)?bench|docs\/decisions|examples)\/|^\/(?:docs\/)?\*\.md$/

/** About the repository, not about a stack file. */
export const ownersRule = {
  id: "R59",
  message: "Whatever runs with keys, or decides what does, has an owner in CODEOWNERS",
  fix: "let the first line give `*` an owner, and every other line have one but those of /bench/, /examples/ and /docs/*.md",
}

/**
 * Finds what nobody has to look at, and owners that nobody has put in yet: GitHub then asks nobody. Before
 * people use an environment, the latter does not matter.
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
  return { refused: findings.filter((one) => !isOpen(one)), open: findings.filter(isOpen) }
}

function findIn(root: string, file: string): Finding[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  const findings = lines.flatMap((line, index): Finding[] => {
    const text = line.replace(/#.*/, "")
    const [key = "", ...owners] = text.trim().split(/\s+/)
    const found = { file, line: index + 1, column: 1, key }
    if (key !== "" && owners.length === 0 && !free.test(key)) {
      return [{ ...found, rule: ownersRule.id, reason: "has no owner", fix: ownersRule.fix }]
    }
    const owner = placeholder.exec(text)?.[1]
    if (owner === undefined) return []
    const reason = `is still owned by the placeholder ${owner}, so nobody has to look at it`
    const fix = "name your own team, and require the review of code owners"
    return [{ ...found, rule: "R10", column: text.indexOf(owner) + 1, reason, fix }]
  })
  const rest = { rule: ownersRule.id, file, key: "*", reason: "has no owner", fix: ownersRule.fix }
  if (!lines.some((line) => /^\*\s+[^#\s]/.test(line))) findings.push(rest)
  return findings
}

function isPermanent(stack: string): boolean {
  return !/^(?:local|preview)(?:[-.]|$)/.test(stack)
}
