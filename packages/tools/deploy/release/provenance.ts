import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import { promisify } from "node:util"

import { root } from "../../base/root.ts"

/** Bytes; Cloudflare cuts a deployment's message at 1000. */
const limit = 900

/** Returns the deployment's message: commit, author, pull request and run. */
export async function releaseMessage(
  environment: NodeJS.ProcessEnv = process.env,
  readUser: () => { username: string } = userInfo,
): Promise<string> {
  const commit = await currentCommit(environment)
  const places = [pullRequestOf(environment), runOf(environment)].filter((text) => text !== "")
  return cutMessage(
    [`${commit} by ${currentActor(environment) || userName(readUser)}`, ...places].join(", "),
  )
}

/** Cuts a message to a length that Cloudflare keeps, without splitting a character. */
export function cutMessage(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  return bytes
    .subarray(0, limit)
    .toString()
    .replace(/\uFFFD+$/, "")
}

function currentActor({ GITHUB_ACTOR, USER }: NodeJS.ProcessEnv) {
  return GITHUB_ACTOR || USER
}

/** Returns "unknown" if the user id has no name, as in some containers. */
function userName(readUser: () => { username: string }): string {
  try {
    return readUser().username
  } catch {
    return "unknown"
  }
}

function pullRequestOf({ GITHUB_REF = "" }: NodeJS.ProcessEnv): string {
  const number = /^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1]
  return number === undefined ? "" : `pull request ${number}`
}

function runOf(environment: NodeJS.ProcessEnv): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !GITHUB_RUN_ID) return ""
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
}

/**
 * Returns the commit, such as `9fceb02d0ae5 with local changes`. On GitHub it asks Git first, because a workflow
 * may check out another commit than GITHUB_SHA.
 */
export async function currentCommit(
  { GITHUB_ACTIONS, GITHUB_SHA }: NodeJS.ProcessEnv,
  directory = root,
): Promise<string> {
  const commitOfRunner = GITHUB_SHA ? GITHUB_SHA.slice(0, 12) : undefined
  if (commitOfRunner !== undefined && GITHUB_ACTIONS !== "true") return commitOfRunner
  try {
    // Asks once per process: every deployment and every set of migrations needs it.
    const { stdout } = await run("git", status, { cwd: directory, timeout: 5000 })
    const [head, ...lines] = stdout.trim().split("\n")
    const commit = /^# branch\.oid ([0-9a-f]{12})/.exec(head ?? "")?.[1]
    if (commit === undefined) return commitOfRunner ?? "no commit"
    const edited = lines.some((line) => !line.startsWith("# "))
    return edited ? `${commit} with local changes` : commit
  } catch {
    return commitOfRunner ?? "no commit"
  }
}

/** The first line of the output is the commit; lines without `#` are changed files (git-status(1)). */
const status = ["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=no"]

const run = promisify(execFile)
