import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { partOf } from "./code-parts.ts"
import type { Finding } from "./rules/judge.ts"

type Checked = { draft: boolean; stack: string }

/** Where GitHub and GitLab look for the file, in this order. */
const places = [".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]

/** As this project ships it, and as GitHub's documentation writes them. */
const placeholder = /(?:^|\s)(@(?:example|your-|org\/)\S*|\S+@example\.\S+)/i

/** About the repository, not about a stack file. */
export const ownersRule = {
  id: "R59",
  message: "Whatever runs with keys, or decides what does, has an owner in CODEOWNERS",
  fix: "name who has to look at it, or leave it to the owner of `*`",
}

type Line = { text: string; number: number; pattern: string; owners: string[] }

/**
 * Finds what nobody has to look at, and owners that nobody has put in yet: GitHub then asks nobody. Before
 * people use an environment, the latter does not matter.
 */
export function checkOwners(
  root: string,
  environments: Checked[],
): { refused: Finding[]; open: Finding[] } {
  const file = places.find((place) => existsSync(join(root, place)))
  if (file === undefined) return { refused: [], open: [] }
  const lines = readFileSync(join(root, file), "utf8").split("\n").flatMap(parseLine)
  const findings = lines.flatMap(({ text, number, pattern }): Finding[] => {
    const owner = placeholder.exec(text)?.[1]
    if (owner === undefined) return []
    return [
      {
        rule: "R10",
        file,
        line: number,
        column: text.indexOf(owner) + 1,
        key: pattern,
        reason: `is still owned by the placeholder ${owner}, so nobody has to look at it`,
        fix: "name your own team, and require the review of code owners",
      },
    ]
  })
  const unowned = findUnowned(root, file, lines)
  const used = environments.some(({ draft, stack }) => !draft && isPermanent(stack))
  return used
    ? { refused: [...findings, ...unowned], open: [] }
    : { refused: unowned, open: findings }
}

function parseLine(line: string, index: number): Line[] {
  const text = line.replace(/#.*/, "")
  const [pattern = "", ...owners] = text.trim().split(/\s+/)
  return pattern === "" ? [] : [{ text, number: index + 1, pattern, owners }]
}

/** By the folder or file at the top that they lie in. The last line that matches a file counts. */
function findUnowned(root: string, file: string, lines: Line[]): Finding[] {
  const matchers = lines
    .map(({ pattern, owners }) => ({ matches: matcherOf(pattern), owners }))
    .toReversed()
  const unowned = filesOf(root)
    .filter((path) => partOf(path) !== "is read alone")
    .filter((path) => !matchers.find(({ matches }) => matches.test(path))?.owners.length)
  const byTop = Object.groupBy(unowned, (path) => path.replace(/\/.*/, "/"))
  return Object.entries(byTop).map(([top, [first = top, ...more] = []]) => ({
    rule: ownersRule.id,
    file,
    key: `/${top}`,
    reason: `has no owner: ${first}${more.length > 0 ? ` and ${more.length} more` : ""}`,
    fix: ownersRule.fix,
  }))
}

/** Patterns are those of `.gitignore`, without its `!` and `[ ]`, but that `docs/*` is no folder's content. */
function matcherOf(pattern: string): RegExp {
  const anchored = /\/./.test(pattern)
  const body = pattern.replaceAll(/^\/|\/$/g, "")
  const wildcards: Record<string, string> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" }
  const text = body.replaceAll(
    /\*\*\/|\*\*|[*?.+^${}()|[\]\\]/g,
    (sign) => wildcards[sign] ?? (sign === "?" ? "[^/]" : `\\${sign}`),
  )
  const children = pattern.endsWith("/*") && anchored
  const below = pattern.endsWith("/") ? "/" : children ? "$" : "(?:/|$)"
  return new RegExp(`^${anchored ? "" : "(?:.*/)?"}${text}${below}`)
}

/** What would be committed; nothing outside of a repository. */
function filesOf(root: string): string[] {
  try {
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const options = { cwd: root, encoding: "utf8", stdio: "pipe", maxBuffer: 64_000_000 } as const
    return execFileSync("git", args, options).split("\0").filter(Boolean)
  } catch {
    return []
  }
}

function isPermanent(stack: string): boolean {
  return !/^(?:local|preview)(?:[-.]|$)/.test(stack)
}
