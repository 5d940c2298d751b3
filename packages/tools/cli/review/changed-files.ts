import { execFileSync } from "node:child_process"

import { type CodePart, partOf } from "../../environment/code-parts.ts"

export type ChangedFile = { path: string; part: CodePart; lines: string }

/** What differs from a commit in the work tree, new files included. */
export function changedFiles(root: string, sha: string): ChangedFile[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe", maxBuffer: 64_000_000 })
      .split("\0")
      .filter(Boolean)
  const whole = ["--no-renames", "--ignore-submodules=none"]
  const changed = git("diff", "--numstat", "-z", ...whole, sha).map((entry) => {
    const [added = "", removed = "", ...rest] = entry.split("\t")
    const path = rest.join("\t")
    return { path, part: partOf(path), lines: `+${added} -${removed}` }
  })
  const untracked = git("ls-files", "-z", "--others", "--exclude-standard")
  return [...changed, ...untracked.map((path) => ({ path, part: partOf(path), lines: "new" }))]
}
