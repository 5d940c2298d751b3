import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import { promisify } from "node:util"

/** Bytes; Cloudflare cuts a deployment's message at 1000. */
const limit = 900

/** The deployment's message: who released which commit, from which pull request and run. */
export async function releaseMessage(
  environment: NodeJS.ProcessEnv = process.env,
  readUser: () => { username: string } = userInfo,
): Promise<string> {
  const commit = await currentCommit(environment)
  const places = [pullRequestOf(environment), runOf(environment)].filter((text) => text !== "")
  return cutMessage(
    [`${commit} by ${currentActor(environment) ?? userName(readUser)}`, ...places].join(", "),
  )
}

/** A deployment's message as Cloudflare keeps it whole, without half a character at its end. */
export function cutMessage(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  return bytes
    .subarray(0, limit)
    .toString()
    .replace(/\uFFFD+$/, "")
}

function currentActor({ GITHUB_ACTOR, GITLAB_USER_LOGIN, USER }: NodeJS.ProcessEnv) {
  return GITHUB_ACTOR ?? GITLAB_USER_LOGIN ?? USER
}

/** Containers may run under a number that no user has. */
function userName(readUser: () => { username: string }): string {
  try {
    return readUser().username
  } catch {
    return "unknown"
  }
}

function pullRequestOf({ GITHUB_REF = "", CI_MERGE_REQUEST_IID }: NodeJS.ProcessEnv): string {
  const number = /^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1] ?? CI_MERGE_REQUEST_IID
  return number === undefined ? "" : `pull request ${number}`
}

function runOf(environment: NodeJS.ProcessEnv): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_PIPELINE_URL } = environment
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !GITHUB_RUN_ID) return CI_PIPELINE_URL ?? ""
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
}

/** As in `9fceb02d0ae5 with local changes`. */
export async function currentCommit({
  GITHUB_SHA,
  CI_COMMIT_SHA,
}: NodeJS.ProcessEnv): Promise<string> {
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
