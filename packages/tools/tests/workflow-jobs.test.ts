import {
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  cpSync,
  mkdirSync,
  writeFileSync,
  chmodSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { type Finding, statusInMarkdown } from "../cli/status/plan-findings.ts"
import { pipelineLimit } from "../environment/rules/behaviour.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { commit, git } from "./testing/commit.ts"
import { cutOff } from "./testing/cut-off.ts"
import { openIssues } from "./testing/kept-issues.ts"
import { createPrograms } from "./testing/programs.ts"
import { openReviewedRepository } from "./testing/reviewed-branch.ts"
import { readWorkflow, runJob, fillIn, holds, type Job } from "./testing/workflow.ts"

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
    // A link where the review would be written.
    symlinkSync("/dev/null", join(repository.directory, "review.md"))
    git(repository.directory, "add", "--force", "review.md")
  }, offline)
  // The effective file would be rendered by changed code.
  expect(good, output).toBe(true)
  expect(text).toMatch(
    /^<!-- accounts review -->\n[^]*`packages\/tools\/cli\/review\/review\.ts` \+1 -0 /,
  )
  expect(text).toMatch(/^origins that call +- origin https:\/\/b\.example\.com /m)
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

test(`a step of that job reaches no server (network cut ${offline.how})`, async () => {
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

test("a backup is made each night without a private key, and opened each month by who approves it", () => {
  const { on, jobs, concurrency } = readWorkflow("backup")
  const schedule = ["19 2 * * *", "53 6 1 * *"]
  expect(on).toEqual({ schedule: schedule.map((cron) => ({ cron })), workflow_dispatch: null })
  const runs = [...schedule, ""].map((cron) =>
    Object.keys(jobs).filter((name) =>
      holds(jobs[name]?.if ?? "", {
        "github.ref": "refs/heads/main",
        "github.event.schedule": cron,
      }),
    ),
  )
  // A restore that waits for its approval is in no group of a backup.
  const groups = schedule.map((cron) =>
    fillIn(concurrency?.group ?? "", { "github.event.schedule": cron }),
  )
  expect(new Set(groups).size).toBe(2)
  expect(runs).toEqual([["backup"], ["restore"], ["backup", "restore"]])
  const { backup, restore } = jobs
  expect([backup?.environment, restore?.environment]).toEqual([
    "production-backup",
    "production-restore",
  ])
  expect(JSON.stringify(backup)).not.toContain("IDENTITY")
  expect(backup?.steps.at(-1)?.run).toMatch(/^\.\/accounts database backup -s production --to /)
  expect(restore?.steps.at(-1)?.run).toMatch(/^\.\/accounts database backups .* --verify /)
})

async function directoryOfJob() {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory.path, ".ci"))
  cpSync(join(root, ".ci", "keep-issue.sh"), join(directory.path, ".ci", "keep-issue.sh"))
  return directory
}

test.each(["staging", "production"])(
  "one issue is kept for %s, which is rewritten, and closed when all is well",
  async (stack) => {
    await using issues = await openIssues()
    await using directory = await directoryOfJob()
    const job = readWorkflow("drift").jobs[stack]
    if (job === undefined) throw new Error(`drift.yml has no job ${stack}`)
    const steps = job.steps.filter(({ id }) => id === "issue")
    const run = async (status: string) => {
      writeFileSync(join(directory.path, "status.md"), status)
      await runJob({
        job: { ...job, steps },
        clone: directory.path,
        contexts: { "steps.set-up.outputs.ready": "yes", "github.token": "token" },
        environment: { PATH: process.env["PATH"] ?? "" },
        path: [issues.directory],
      })
    }
    await run(statusInMarkdown(stack, []))
    const drift: Finding = { what: "drift: Worker accounts", state: "wrong", found: "gone & = +" }
    for (const findings of [[drift], [drift, { ...drift, what: "token" }], [], [], [drift]]) {
      // oxlint-disable-next-line no-await-in-loop -- one morning after another
      await run(statusInMarkdown(stack, findings))
    }
    expect(issues.body()).toBe(statusInMarkdown(stack, [drift]))
    expect(issues.events()).toEqual(["issue create", "issue edit", "issue close", "issue create"])
    await run(
      statusInMarkdown(
        stack,
        Array.from({ length: 50 }, () => ({ ...drift, found: "😀".repeat(500) })),
      ),
    )
    expect(issues.body()).toContain(" says all.")
    expect(issues.body().length).toBeLessThan(65_536)
  },
)

test("staging deploys the newest commit with green checks, and production the one that staging released", async () => {
  const { on, jobs } = readWorkflow("staging")
  const check = { workflows: ["check"], types: ["completed"], branches: ["main"] }
  expect(on).toEqual({ workflow_run: check, workflow_dispatch: null })
  const { staging } = jobs
  const ref = { "github.ref": "refs/heads/main" }
  const endedWith = (conclusion: string) => ({
    ...ref,
    "github.event.workflow_run.conclusion": conclusion,
  })
  expect(holds(staging?.if ?? "", endedWith("success"))).toBe(true)
  expect(holds(staging?.if ?? "", endedWith("failure"))).toBe(false)

  const { plan, production } = readWorkflow("production").jobs
  const refs = [staging, plan, production].map(
    (job) =>
      job?.steps.findLast(({ uses }) => uses?.startsWith("actions/checkout@"))?.with?.["ref"],
  )
  expect(refs).toEqual([
    "${{ steps.green.outputs.commit }}",
    "${{ steps.staging.outputs.commit }}",
    "${{ needs.plan.outputs.commit }}",
  ])

  const first = async (job: Job | undefined, answers: Record<string, string>) => {
    if (!job) throw new Error("there is no such job")
    const steps = job.steps.filter(({ env }) => "GH_TOKEN" in env)
    await using clone = await temporaryDirectory()
    const cases = Object.entries(answers).map(([args, act]) => `*"${args}"*) ${act} ;;`)
    using programs = createPrograms({ gh: `case "$*" in ${cases.join(" ")} *) exit 1 ;; esac` })
    const environment = { PATH: process.env["PATH"] ?? "" }
    const contexts = { "steps.set-up.outputs.ready": "yes" }
    const run = { clone: clone.path, contexts, environment, path: [programs.directory] }
    return await runJob({ ...run, job: { ...job, steps } })
  }
  const green = "check.yml/runs?branch=main&event=push&status=success"
  const released = "staging.yml/runs?branch=main&status=success"
  const jobRun = await first(staging, { [green]: "echo 0123abc" })
  expect(jobRun.outputs).toEqual({ commit: "0123abc" })
  await expect(first(staging, { [green]: "true" })).rejects.toThrow("no commit of main has green")
  const file = `echo '{"commit":"0123abc","content":{}}' > "$RUNNER_TEMP/released.json"`
  const firstResult = await first(plan, { [released]: "echo 7", "run download 7": file })
  expect(firstResult.outputs).toEqual({ commit: "0123abc" })
  const nothing = first(plan, { [released]: "echo 7", "run download 7": "exit 1" })
  await expect(nothing).rejects.toThrow("the last run of staging released nothing")
})

test("the limit of a pipeline is that of the job which deploys", () => {
  for (const environment of ["staging", "production"] as const) {
    const { jobs } = readWorkflow(environment)
    expect(jobs[environment]?.["timeout-minutes"]).toBeGreaterThan(0)
    expect(pipelineLimit(environment)).toBe(jobs[environment]?.["timeout-minutes"])
  }
  expect(pipelineLimit("local")).toBeUndefined()
})

const { on, jobs } = readWorkflow("check")

const another = `config:
  accounts:environment: staging
  accounts:name: accounts-staging-eu
  accounts:accountId: "${"0".repeat(32)}"
  accounts:zone: example.org
  accounts:apiOrigin: https://api.example.org
  accounts:webOrigin: https://app.example.org
  accounts:cookieDomain: example.org
  accounts:mailUrl: https://mail.example.org/send
`

test("two pull requests, each of them green, are refused together where they leave a file stale", async () => {
  const { environments: job } = jobs
  if (!job) throw new Error("check.yml has no job environments")
  await using clone = copyCheckout()
  const { directory } = clone
  writeFileSync(join(directory, ".git", "npm"), "#!/bin/sh\n")
  chmodSync(join(directory, ".git", "npm"), 0o755)
  const check = () =>
    runJob({
      job,
      clone: directory,
      contexts: {},
      environment: { PATH: process.env["PATH"] ?? "" },
      path: [join(directory, ".git")],
    })

  git(directory, "switch", "--quiet", "--create", "table")
  clone.addMigration("note", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
  await expect(check()).rejects.toThrow("stale: ./accounts environment render")
  await clone.succeed("environment", "render")
  commit(directory, "Add a table")
  await check()

  git(directory, "switch", "--quiet", "--create", "template", "main")
  writeFileSync(join(directory, "environments", "Pulumi.staging-eu.yaml"), another)
  await clone.succeed("environment", "render")
  commit(directory, "Add an environment")
  await check()

  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
  git(directory, ...identity, "merge", "--quiet", "--no-edit", "table")
  await expect(check()).rejects.toThrow(/staging-eu\.effective\.yaml: stale\n.*_note\.sql/)
})

test("the check runs on what is merged, and before that in a merge queue", () => {
  expect(on).toEqual({ pull_request: null, merge_group: null, push: { branches: ["main"] } })
})
