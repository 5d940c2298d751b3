import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"

type JudgedBranch = Disposable & {
  root: string
  /** Commit whose code judges, into which the branch would be merged. */
  base: string
}

/**
 * The branch of another checkout, merged into what is checked out here, in a clone in which a symbolic link
 * is a text: nothing of the branch runs, and nothing leads out of it.
 * @throws Failure if it cannot be merged
 */
export function openBranch(judge: string, directory: string): JudgedBranch {
  using folder = new DisposableStack()
  const { path: root } = folder.use(mkdtempDisposableSync(join(tmpdir(), "accounts-judged-")))
  // A file of the branch names the server that Git's large files would be asked of.
  const env = { ...process.env, GIT_LFS_SKIP_SMUDGE: "1" }
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim()
  try {
    const base = git(judge, "rev-parse", "HEAD")
    const clone = ["clone", "--quiet", "--shared", "--template=", "-c", "core.symlinks=false"]
    git(judge, ...clone, directory, root)
    const author = ["-c", "user.name=review", "-c", "user.email=review@localhost"]
    git(root, ...author, "-c", "commit.gpgsign=false", "merge", "--quiet", "--no-edit", base)
    const kept = folder.move()
    return { root, base, [Symbol.dispose]: () => kept.dispose() }
  } catch (error) {
    const message = `The branch in ${directory} cannot be merged into ${judge}, so what it would be is not known: merge main into it. ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}
