import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import { promisify } from "node:util"

/** Characters; Cloudflare truncates longer messages. */
const limit = 100

/** The deployment's message: who released which commit. */
export async function releaseMessage(): Promise<string> {
  const commit = await currentCommit()
  return `${commit} by ${currentActor()}`.slice(0, limit)
}

function currentActor(): string {
  const { GITHUB_ACTOR, GITLAB_USER_LOGIN, USER } = process.env
  return GITHUB_ACTOR ?? GITLAB_USER_LOGIN ?? USER ?? userInfo().username
}

async function currentCommit(): Promise<string> {
  const { GITHUB_SHA, CI_COMMIT_SHA } = process.env
  const given = GITHUB_SHA ?? CI_COMMIT_SHA
  if (given) return given.slice(0, 12)
  try {
    const head = await git("rev-parse", "--short=12", "HEAD")
    const edited = await git("status", "--porcelain", "--untracked-files=no")
    return edited ? `${head} with local changes` : head
  } catch {
    return "no commit"
  }
}

const run = promisify(execFile)

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: import.meta.dirname, timeout: 5000 })
  return stdout.trim()
}
