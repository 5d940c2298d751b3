import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"

/** `accounts-preview-<short>` must fit the 54 characters that workers.dev allows. */
const longestName = 54 - "accounts-preview-".length

/** @throws Failure for a name without a letter or digit, such as an empty variable of a script */
export function expectBranchName(branch: string): void {
  if (/[\p{L}\p{N}]/u.test(branch)) return
  throw new Failure(
    "USAGE",
    `${JSON.stringify(branch)} is no name of a branch. Leave it out for the branch that is checked out.`,
  )
}

/** Returns lower-case letters, digits and dashes. A changed name ends with a hash of the original. */
export function shortName(branch: string): string {
  const plain = branch
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  if (plain === branch && plain.length <= longestName) return plain
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, 6)
  const stem = plain.slice(0, longestName - hash.length - 1).replace(/-+$/, "")
  return stem ? `${stem}-${hash}` : hash
}

/** Returns the branch of the pull request in CI, otherwise the branch that is checked out. */
export function currentBranch(): string {
  const ofPullRequest = process.env["GITHUB_HEAD_REF"]
  if (ofPullRequest) return ofPullRequest
  try {
    return git("symbolic-ref", "--short", "HEAD")
  } catch (cause) {
    throw new Failure(
      "USAGE",
      "No branch is checked out: name one, as in `./accounts branch up my-branch`.",
      { cause },
    )
  }
}

/**
 * Checks the branch, because a preview is built from the files and installed packages of this checkout.
 * @throws Failure USAGE if another branch is checked out
 */
export function expectCheckedOut(branch: string): void {
  let current = branch
  try {
    current = currentBranch()
  } catch {
    // Most CI jobs check out a commit without a branch: then the given name is used.
  }
  if (current === branch) return
  const message = `${current} is checked out here, and a preview is deployed where its branch is: git worktree add ../${shortName(branch)} ${branch}, then npm ci and ./accounts branch up there.`
  throw new Failure("USAGE", message)
}

/** Lists the branches of this clone and of its remotes that git has fetched, without the remotes' names. */
export function knownBranches(): string[] {
  try {
    const refs = git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    const names = refs
      .split("\n")
      .map((ref) => ref.replace(/^refs\/(?:heads|remotes\/[^/]+)\//, ""))
    return [...new Set(names)]
  } catch {
    return []
  }
}

/**
 * Queries a remote for its branches.
 * @throws Error with git's message
 */
export function remoteBranches(remote: string): string[] {
  // A remote whose name begins with a dash would be an option.
  const refs = git("ls-remote", "--heads", "--", remote)
  return refs.split("\n").flatMap((line) => /\trefs\/heads\/(.+)$/.exec(line)?.[1] ?? [])
}

export function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim()
}
