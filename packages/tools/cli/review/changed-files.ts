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
  // Mode, then path: what is a link or another repository here leads elsewhere where it is deployed.
  const modes = git("diff", "--raw", "-z", ...whole, sha)
  const leading = new Set(modes.filter((_, at) => /^:\d+ 1[26]0000 /.test(modes[at - 1] ?? "")))
  const changed = git("diff", "--numstat", "-z", ...whole, sha).map((entry): ChangedFile => {
    const [added = "", removed = "", ...rest] = entry.split("\t")
    const path = rest.join("\t")
    const part = leading.has(path) ? "plans or deploys" : partOf(path)
    return { path, part, lines: `+${added} -${removed}` }
  })
  const untracked = git("ls-files", "-z", "--others", "--exclude-standard")
  return [...changed, ...untracked.map((path) => ({ path, part: partOf(path), lines: "new" }))]
}
