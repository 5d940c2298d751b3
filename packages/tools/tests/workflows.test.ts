import { execFileSync } from "node:child_process"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import { parse } from "yaml"

import { root } from "../base/root.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { createPrograms } from "./testing/programs.ts"
import { credentialsOf } from "./testing/step-credentials.ts"
import { fillIn, holds, readWorkflow, runJob, workflowNames } from "./testing/workflow.ts"

const steps = workflowNames.flatMap((workflow) =>
  Object.entries(readWorkflow(workflow).jobs).flatMap(([job, { steps: of }]) =>
    of.map((step) => ({ ...step, workflow, job })),
  ),
)

/** Steps that read or change a stack. */
const operations = steps.filter(({ run = "" }) =>
  /^(?:pulumi|\.\/accounts (?:plan|up|branch|status|database)) /.test(run),
)

test("every step that reads or changes a stack has the credentials of every documented backend, and no other", () => {
  expect(operations.length).toBeGreaterThanOrEqual(7)
  for (const { run, env } of operations) {
    const needed = credentialsOf(run)
    expect({ run, env: Object.keys(env).toSorted() }).toEqual({ run, env: needed.toSorted() })
  }
  // GitHub's own token, to ask GitHub: these run none of the repository's code but one script, which is main's.
  const asking = steps.filter(({ env, job }) => "GH_TOKEN" in env && job !== "comment")
  expect(asking.map(({ id }) => id)).toEqual(["issue", "issue", "staging", "green"])
  for (const { id, env, run } of asking) {
    expect(Object.keys(env)).toEqual(id === "issue" ? ["GH_TOKEN", "STACK"] : ["GH_TOKEN"])
    const remainder = run?.replace(/^bash \.ci\/keep-issue\.sh "\$STACK" status\.md$/m, "")
    expect(remainder).not.toMatch(/npm|node|\.\/accounts |\.github|\.ci/)
  }
  const otherSteps = steps.filter(
    (step) => ![...operations, ...asking].includes(step) && step.job !== "comment",
  )
  // The step that reports missing credentials sees whether they exist.
  const values = otherSteps.flatMap(({ env }) => Object.values(env))
  expect(values.filter((value) => /secrets\.|github\.token/.test(value))).not.toEqual([])
  for (const value of values) {
    expect(value).toMatch(
      /^PREVIEW_$|^\$\{\{ (?:secrets\.\w+ != ''(?: \|\| vars\.\w+ != '')*|vars\.\w+) \}\}$/,
    )
  }
  expect(otherSteps.filter(({ run }) => run?.includes("secrets."))).toEqual([])
})

test("each job with keys can have them for an hour, and no other step than its operations sees them", () => {
  const keyed = new Set(operations.map(({ workflow, job }) => `${workflow} ${job}`))
  expect(keyed.size).toBe(9)
  for (const name of keyed) {
    const [workflow = "", job = ""] = name.split(" ")
    const { steps: allSteps = [], permissions } = readWorkflow(workflow).jobs[job] ?? {}
    expect(permissions).toMatchObject({ "id-token": "write" })
    const asking = allSteps.filter(({ uses }) => /^(?:aws-actions|pulumi)\//.test(uses ?? ""))
    expect(asking.map(({ id, with: input }) => ({ id, input }))).toMatchObject([
      { id: "aws", input: { "output-credentials": true, "output-env-credentials": false } },
      { id: "pulumi", input: { "export-environment-variables": false } },
    ])
    // The secrets are used if the variable is missing.
    for (const { if: condition } of asking) expect(condition).toMatch(/vars\.\w+ != ''$/)
    // Every step of the job may ask, so a script of a package may not run in it.
    const installing = allSteps.filter(({ run }) => run?.startsWith("npm "))
    expect(installing.map(({ run }) => run)).toEqual(["npm ci --ignore-scripts"])
  }
})

test("the sweep runs by itself on main, says what it deletes and only then deletes it", () => {
  const { on, jobs } = readWorkflow("sweep")
  expect(on).toEqual({
    schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }],
    workflow_dispatch: null,
  })
  expect(Object.keys(jobs)).toEqual(["sweep"])
  const { sweep } = jobs
  expect(sweep).toMatchObject({ if: "github.ref == 'refs/heads/main'", environment: "preview" })
  const commands = sweep?.steps.map(({ run = "" }) => run).filter((run) => / sweep /.test(run))
  expect(commands).toEqual([
    './accounts branch sweep --dry-run 2>&1 | tee -a "$GITHUB_STEP_SUMMARY"',
    "./accounts branch sweep --yes",
  ])
})

test("a bucket at R2 gets the checksums that the pinned engine leaves out", () => {
  // Once the pin moves: does github.com/pulumi/pulumi/issues/24219 still need it?
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(dependencies["@pulumi/pulumi"]).toBe("3.259.0")
  for (const { env } of operations) {
    expect(env["AWS_REQUEST_CHECKSUM_CALCULATION"]).toBe("when_supported")
  }
})

test("what is previewed is what is deployed, drift included", () => {
  const project = parse(readFileSync(join(root, "Pulumi.yaml"), "utf8"))
  expect(project).toMatchObject({ options: { refresh: "always" } })
  for (const stack of ["staging", "production"]) {
    const commands = operations.map(({ run = "" }) => run).filter((run) => run.includes(stack))
    expect(commands.filter((run) => / (?:plan|up) /.test(run))).toHaveLength(2)
    expect(commands.join()).not.toContain("--refresh")
    // An artifact of a public repository is public, and a bucket keeps each state anyway.
    expect(commands.join()).not.toMatch(/stack export|--show-secrets/)
  }
})

test("who judges is main's: of the branch nothing runs, and neither job can do harm", () => {
  const { on, permissions, jobs } = readWorkflow("review")
  // GitHub runs the branch's own workflow for a `pull_request`.
  expect(on).toMatchObject({ pull_request_target: { branches: ["main"] } })
  expect(permissions).toEqual({})
  expect(Object.keys(jobs)).toEqual(["review", "comment"])
  const { review, comment } = jobs
  expect(review?.permissions).toEqual({ contents: "read" })
  expect(JSON.stringify(review)).not.toMatch(/secrets\.|github\.token/)
  expect(review?.environment).toBeUndefined()
  const checkouts = review?.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))
  expect(checkouts?.map(({ with: input }) => input)).toEqual([
    { "persist-credentials": false },
    {
      ref: "${{ github.event.pull_request.head.sha }}",
      path: "branch",
      "fetch-depth": 0,
      "persist-credentials": false,
      "allow-unsafe-pr-checkout": true,
    },
  ])
  const reviewSteps = review?.steps.filter(({ run }) => run?.includes("branch"))
  expect(reviewSteps?.map(({ run }) => run?.split("\n")[1])).toEqual([
    "node packages/tools/cli/main.js review --directory branch > review.md || code=$?",
  ])
  expect(comment?.permissions).toEqual({ "pull-requests": "write" })
  expect(comment?.steps.filter(({ uses }) => uses !== undefined)).toEqual([])
  // Text of the branch reaches the shell as a variable, never as a part of the script.
  for (const { run } of [...(review?.steps ?? []), ...(comment?.steps ?? [])]) {
    expect(run ?? "").not.toContain("${{")
  }
})

test("production is deployed from main alone, by an approval that comes after the plan", () => {
  const { on, jobs } = readWorkflow("production")
  expect(on).toEqual({ workflow_dispatch: null })
  expect(Object.keys(jobs)).toEqual(["plan", "production"])
  const { plan, production } = jobs
  expect(production).toMatchObject({ needs: "plan", environment: "production" })
  expect(plan?.environment).toBe("production-plan")
  expect(plan?.steps.filter(({ run }) => / up /.test(run ?? ""))).toEqual([])
  // The approved plan is the one that is applied.
  expect(plan?.outputs).toEqual({
    commit: "${{ steps.staging.outputs.commit }}",
    digest: "${{ steps.plan.outputs.digest }}",
  })
  const up = production?.steps.filter(({ run }) => / up /.test(run ?? ""))
  expect(up?.map(({ run }) => run)).toEqual([
    './accounts up -s production --plan "${{ needs.plan.outputs.digest }}"',
  ])
  for (const job of [plan, production, readWorkflow("staging").jobs["staging"]]) {
    expect(holds(job?.if ?? "", { "github.ref": "refs/heads/main" })).toBe(true)
    expect(holds(job?.if ?? "", { "github.ref": "refs/heads/feature" })).toBe(false)
  }
})

test("a pull request of a fork or of Dependabot has no preview, and so no token", () => {
  const condition = readWorkflow("preview").jobs["preview"]?.if ?? ""
  const ownRequest = {
    "github.repository": "ours/accounts",
    "github.event.pull_request.head.repo.full_name": "ours/accounts",
    "github.event.pull_request.user.login": "ada",
  }
  expect(holds(condition, ownRequest)).toBe(true)
  const fork = { ...ownRequest, "github.event.pull_request.head.repo.full_name": "theirs/accounts" }
  const dependabot = { ...ownRequest, "github.event.pull_request.user.login": "dependabot[bot]" }
  expect([holds(condition, fork), holds(condition, dependabot)]).toEqual([false, false])
})

test("each stack has a concurrency group of its own, which cancels nothing", () => {
  const groups = workflowNames.flatMap((name) => readWorkflow(name).concurrency ?? [])
  expect(groups.map(({ group }) => group).toSorted()).toEqual([
    "accounts-backup-${{ github.event.schedule }}",
    "accounts-drift",
    "accounts-preview-${{ github.event.pull_request.head.repo.full_name }}-${{ github.head_ref }}",
    "accounts-production",
    "accounts-review-${{ github.event.pull_request.number }}",
    "accounts-staging",
    "accounts-sweep",
  ])
  expect(groups.some((group) => group["cancel-in-progress"])).toBe(false)
})

test("a pull request of a fork is in no group of a branch of the same name, whose waiting run it would cancel", () => {
  // https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
  for (const workflow of ["preview", "review"]) {
    const group = readWorkflow(workflow).concurrency?.group ?? ""
    const [ownGroup, fork] = ["ours", "theirs"].map((owner, index) =>
      fillIn(group, {
        "github.head_ref": "login",
        "github.event.pull_request.number": String(index),
        "github.event.pull_request.head.repo.full_name": `${owner}/accounts`,
      }),
    )
    expect(ownGroup).toContain("accounts-")
    expect(ownGroup).not.toBe(fork)
  }
})

// npm's own commands are recorded: they would run this very test.
test("the job that checks installs, checks, tests and soaks, and fails with any of them", async () => {
  const { check } = readWorkflow("check").jobs
  if (!check) throw new Error("check.yml has no job check")
  const run = async (broken: string) => {
    await using clone = copyCheckout()
    cpSync(join(root, ".ci"), join(clone.directory, ".ci"), { recursive: true })
    const calls = join(clone.directory, "calls")
    const report = `{"testResults":[{"status":"passed","name":"one","assertionResults":[{"status":"passed","fullName":"one"}]}]}`
    using programs = createPrograms({
      sudo: `while case "$1" in --*) true ;; *) false ;; esac; do shift; done; exec "$@"`,
      npm: `echo "$*" >> ${calls}
for word in "$@"; do case "$word" in --outputFile.json=*) echo '${report}' > "\${word#*=}" ;; */soak.json) echo '${report}' > "$word" ;; esac; done
case "$*" in "${broken}"*) exit 1 ;; esac`,
      // Programs of a runner besides Node.
      chromium: "",
      python3: "",
    })
    const done = await runJob({
      job: check,
      clone: clone.directory,
      contexts: {},
      environment: { PATH: process.env["PATH"] ?? "", CLOUDFLARE_OPENAPI: "none" },
      path: [programs.directory],
    }).then(
      ({ output }) => output,
      (error: unknown) => String(error),
    )
    const lines = readFileSync(calls, "utf8").split("\n")
    return { done, calls: lines.map((line) => line.split(" --")[0]) }
  }
  const { done, calls } = await run("nothing")
  expect(done).toMatch(/\n2 passed, 0 failed, 0 skipped\n$/)
  expect(calls).toEqual(["install", "run check", "test", "run soak", ""])
  for (const step of ["install", "run check", "test", "run soak"]) {
    const broken = await run(step)
    expect(broken.done).toContain("bash .ci/run exited with 1")
    expect(broken.done).toMatch(/\n2 passed, 1 failed, 0 skipped\n/)
    expect(broken.calls).toEqual(calls)
  }
})

test("what a step writes is no change that was not committed, of which the plan would warn", () => {
  const written = steps.flatMap(({ run = "" }) =>
    [...run.matchAll(/(?:\btee |> )([\w.]+)/g)].map(([, file = ""]) => file),
  )
  expect(new Set(written)).toEqual(new Set(["plan.md", "released.json", "review.md", "status.md"]))
  for (const file of written) {
    // Fails where Git would list the file.
    execFileSync("git", ["check-ignore", "--quiet", file], { cwd: root })
  }
})

test("every action is pinned to a commit", () => {
  for (const { uses } of steps) expect(uses ?? "a@".padEnd(42, "0")).toMatch(/@[0-9a-f]{40}$/)
})
