import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import type { Finding } from "./rules/judge.ts"

type Checked = { draft: boolean; stack: string }

/** Where GitHub looks for the file, in this order. */
const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]

/** As this project ships it, and as GitHub's documentation writes them. */
const placeholder = /(?:^|\s)(@(?:example|your-|org\/)\S*|\S+@example\.\S+)/i

/**
 * Finds owners that nobody has put in yet: GitHub then asks nobody. Before people use an environment,
 * that does not matter.
 */
export function checkOwners(
  root: string,
  environments: Checked[],
): { refused: Finding[]; open: Finding[] } {
  const file = places.find((place) => existsSync(join(root, place)))
  if (file === undefined) return { refused: [], open: [] }
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  const findings = lines.flatMap((text, index): Finding[] => {
    const owner = placeholder.exec(text.replace(/#.*/, ""))?.[1]
    if (owner === undefined) return []
    return [
      {
        rule: "R10",
        file,
        line: index + 1,
        column: text.indexOf(owner) + 1,
        key: text.split(/\s/)[0] ?? "",
        reason: `is still owned by the placeholder ${owner}, so nobody has to look at it`,
        fix: "name your own team, and require the review of code owners",
      },
    ]
  })
  const used = environments.some(({ draft, stack }) => !draft && isPermanent(stack))
  return used ? { refused: findings, open: [] } : { refused: [], open: findings }
}

function isPermanent(stack: string): boolean {
  return !/^(?:local|preview)(?:[-.]|$)/.test(stack)
}
