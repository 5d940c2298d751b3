import { execFileSync } from "node:child_process"

import { root } from "../../base/root.ts"
import type { Environment } from "../../environment/environment.ts"
import { permanent } from "../../environment/stack-keys.ts"

/** Warns if a permanent environment gets uncommitted changes, or production another branch than main. */
export function workingTreeWarnings({ environment }: Pick<Environment, "environment">): string[] {
  if (!permanent({ environment })) return []
  const edited = git("status", "--porcelain").split("\n").filter(Boolean)
  const branch = environment === "production" ? currentBranch() : ""
  const suffix = edited.length > 3 ? ` and ${edited.length - 3} more` : ""
  const names = edited.slice(0, 3).map((line) => line.slice(3))
  return [
    ...(edited.length > 0
      ? [`${environment} gets changes that are not committed: ${names.join(", ")}${suffix}.`]
      : []),
    ...(branch && branch !== "main" ? [`production gets the branch ${branch}, not main.`] : []),
  ]
}

/** Returns "" if no branch is checked out, as in most CI jobs, and CI names no branch. */
function currentBranch(): string {
  const { GITHUB_HEAD_REF, GITHUB_REF_NAME, GITHUB_REF_TYPE } = process.env
  const ofJob = GITHUB_HEAD_REF || (GITHUB_REF_TYPE === "branch" ? GITHUB_REF_NAME : "")
  return ofJob || git("symbolic-ref", "--short", "--quiet", "HEAD")
}

/** Returns "" if there is no Git, or no repository. */
function git(...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trimEnd()
  } catch {
    return ""
  }
}
