import { execFileSync } from "node:child_process"

import { Failure } from "../../failure.ts"

/** What a repository was at the commit that a branch began at. */
export function openBase(root: string, name: string) {
  const commit = git(root, "merge-base", name, "HEAD")
  if (commit === undefined) {
    throw new Failure(
      "USAGE",
      `${name} is no commit that this branch comes from: fetch it, or name another with --base.`,
    )
  }
  return {
    commit: commit.trim(),
    /** Undefined if there was no such file. */
    read: (path: string) => git(root, "show", `${commit.trim()}:${path}`),
    list: (directory: string) =>
      (git(root, "ls-tree", "--name-only", commit.trim(), `${directory}/`) ?? "")
        .split("\n")
        .filter(Boolean),
  }
}

function git(cwd: string, ...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" })
  } catch {
    return undefined
  }
}
