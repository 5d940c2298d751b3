import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { commit, git } from "./testing/commit.ts"
import { cutOff } from "./testing/cut-off.ts"
import { createPrograms } from "./testing/programs.ts"
import { openReviewedRepository } from "./testing/reviewed-branch.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

const { comment } = readWorkflow("review").jobs

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

test(`the job that reviews needs a clone, Node and nothing else (network cut ${offline.how})`, async () => {
  await using repository = openReviewedRepository()
  const { good, text, output } = await repository.review(() => {
    const origin = (file: string) =>
      file.replace("trustedOrigins:\n", "$&    - https://b.example.com\n")
    repository.edit("environments/Pulumi.production.yaml", origin)
    repository.edit("packages/tools/cli/review/review.ts", (file) => `// Of the branch\n${file}`)
    // In the place of what is said of it.
    symlinkSync("/dev/null", join(repository.directory, "review.md"))
    git(repository.directory, "add", "--force", "review.md")
  }, offline)
  // The effective file would be rendered by changed code.
  expect(good, output).toBe(true)
  expect(text).toMatch(
    /^<!-- accounts review -->\n[^]*`packages\/tools\/cli\/review\/review\.ts` \+1 -0 /,
  )
  expect(text).toMatch(/^\| origins that call .*`\+ origin https:\/\/b\.example\.com /m)
  expect(text).toMatch(/^Preview/m)
})

test("what cannot be merged has no comment of its own, and fails", async () => {
  await using repository = openReviewedRepository()
  const { directory } = repository
  repository.replace("Pulumi.yaml", /^.*/, "# Of main")
  commit(directory, "Change main")
  const { text, good, output } = await repository.review(() => {
    git(directory, "reset", "--quiet", "--hard", "HEAD~1")
    repository.replace("Pulumi.yaml", /^.*/, "# Of the branch")
  })
  expect({ text, good }).toEqual({ text: "", good: false })
  expect(output).toContain("cannot be merged")
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

const judged = "<!-- accounts review --> `text` $(exit 1)"

test.each([
  {
    found: "",
    text: judged,
    calls: `POST -f body=${judged} repos/ours/accounts/issues/7/comments`,
  },
  {
    found: "41",
    text: judged,
    calls: `PATCH -f body=${judged} repos/ours/accounts/issues/comments/41`,
  },
  {
    found: "41",
    text: "",
    calls:
      "**0123abc could not be judged**: https://git.test/ours/accounts/actions/runs/9 says why.",
  },
])(
  "a pull request has one comment, and what it says is text (found: '$found', text: '$text')",
  async (row) => {
    if (!comment) throw new Error("review.yml has no job comment")
    await using clone = copyCheckout()
    const log = join(clone.directory, "calls")
    const fake = `echo "$@" >> ${log}; case "$*" in *--paginate*) echo "${row.found}" ;; esac`
    using programs = createPrograms({ gh: fake })
    await runJob({
      job: comment,
      clone: clone.directory,
      contexts: {
        "needs.review.outputs.text": row.text,
        "github.event.pull_request.head.sha": "0123abc",
        "github.event.pull_request.number": "7",
        "github.server_url": "https://git.test",
        "github.repository": "ours/accounts",
        "github.run_id": "9",
      },
      environment: { PATH: process.env["PATH"] ?? "" },
      path: [programs.directory],
    })
    expect(readFileSync(log, "utf8")).toContain(row.calls)
  },
)
