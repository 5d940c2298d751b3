import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { serve } from "@accounts/local/daemon/testing/serve"
import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { createPrograms } from "./testing/programs.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

const { review, comment } = readWorkflow("review").jobs

async function listen() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-server-"))
  let requests = 0
  const server = await serve((_, response) => {
    requests += 1
    response.end()
  })
  return {
    directory,
    url: server.url,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true })
      await server[Symbol.asyncDispose]()
    },
  }
}

const offline = cutOff()

/** By the kernel where it lets us, which leaves not even loopback; else by a Node that connects to nothing. */
function cutOff(): { how: string; within: string[]; environment: Record<string, string> } {
  const flags = ["--map-root-user", "--net"]
  if (spawnSync("unshare", [...flags, "true"]).status === 0) {
    return { how: "by unshare", within: ["unshare", ...flags], environment: {} }
  }
  const preload = join(import.meta.dirname, "testing", "no-network.cjs")
  const environment = { NODE_OPTIONS: `--require=${preload}` }
  return { how: "by a preload of Node", within: [], environment }
}

test(`the job that reviews needs a clone, Node and nothing else (network cut ${offline.how})`, async () => {
  if (!review) throw new Error("review.yml has no job review")
  await using clone = copyCheckout()
  // As a checkout with the whole history has it.
  execFileSync("git", ["update-ref", "refs/remotes/origin/main", "main"], { cwd: clone.directory })
  // The clone has its modules already.
  using programs = createPrograms({ npm: `[ "$*" = ci ]` })
  const { summary } = await runJob({
    job: review,
    clone: clone.directory,
    contexts: {},
    environment: {
      PATH: process.env["PATH"] ?? "",
      GITHUB_BASE_REF: "main",
      GITHUB_HEAD_REF: "fix/session",
      ...offline.environment,
    },
    path: [programs.directory],
    within: offline.within,
  })
  expect(summary).toMatch(/^<!-- accounts review -->\n[^]*\| hosts /)
  expect(summary).toMatch(/^Preview/m)
})

test(`a step of that job reaches nobody (network cut ${offline.how})`, async () => {
  await using server = await listen()
  const script = `fetch("${server.url}").then(() => console.log(0), (error) => console.log(error.cause.code))`
  const step = { run: `node -e '${script}' >> "$GITHUB_STEP_SUMMARY"`, env: {} }
  const clone = server.directory
  const job = { "runs-on": "here", "timeout-minutes": 1, steps: [step] }
  const common = { job, clone, contexts: {}, path: [] }
  const environment = { PATH: process.env["PATH"] ?? "" }
  expect((await runJob({ ...common, environment })).summary).toBe("0\n")
  const cut = { ...environment, ...offline.environment }
  const { summary } = await runJob({ ...common, environment: cut, within: offline.within })
  expect(summary).toMatch(/^E[A-Z]+\n$/)
  expect(server.requests()).toBe(1)
})

test.each([
  {
    found: "",
    calls:
      /^api --silent --method POST -f body=A `text` \$\(exit 1\) repos\/ours\/accounts\/issues\/7\/comments$/m,
  },
  {
    found: "41",
    calls:
      /^api --silent --method PATCH -f body=A `text` \$\(exit 1\) repos\/ours\/accounts\/issues\/comments\/41$/m,
  },
])("a pull request has one comment, and what it says is text (found: '$found')", async (row) => {
  if (!comment) throw new Error("review.yml has no job comment")
  await using clone = copyCheckout()
  const log = join(clone.directory, "calls")
  const fake = `echo "$@" >> ${log}; case "$*" in *--paginate*) echo "${row.found}" ;; esac`
  using programs = createPrograms({ gh: fake })
  const [step] = comment.steps
  if (!step) throw new Error("The job comment has no step")
  await runJob({
    job: { ...comment, steps: [{ ...step, if: undefined }] },
    clone: clone.directory,
    contexts: {
      "needs.review.outputs.text": "A `text` $(exit 1)",
      "github.event.pull_request.number": "7",
    },
    environment: { PATH: process.env["PATH"] ?? "" },
    path: [programs.directory],
  })
  expect(readFileSync(log, "utf8")).toMatch(row.calls)
})
