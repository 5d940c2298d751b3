import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"

import { Failure } from "../../failure.ts"
import { root } from "../../root.ts"

/** `accounts-preview-<short>` must fit the 54 characters that workers.dev allows. */
const longestName = 54 - "accounts-preview-".length

/** Lower-case letters, digits and dashes; a name that had to be changed ends with a hash of the original. */
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

/** In CI, the branch of the pull request; elsewhere the one that is checked out. */
export function currentBranch(): string {
  const ofPullRequest = process.env["GITHUB_HEAD_REF"]
  if (ofPullRequest) return ofPullRequest
  try {
    return execFileSync("git", ["symbolic-ref", "--short", "HEAD"], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    }).trim()
  } catch (cause) {
    throw new Failure(
      "USAGE",
      "No branch is checked out: name one, as in `./accounts preview up my-branch`.",
      { cause },
    )
  }
}
