import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { stringify } from "yaml"

import { root } from "../base/root.ts"
import { findEngine } from "../cli/engine/engine.ts"
import { preparePulumiHome } from "../cli/engine/pulumi-home.ts"
import { joinOrStart, type LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { accountContents } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { writePulumiShim } from "./testing/engine/pulumi-shim.ts"
import { openGitServer } from "./testing/git-server.ts"
import { createGitHub } from "./testing/github.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"
import { schedulesOf } from "./testing/schedules.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import { stagingShaped } from "./testing/stacks/test-stacks.ts"
import { type Contexts, type Job, readWorkflow, runJob } from "./testing/workflow.ts"

const execute = promisify(execFile)

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

const sealed = "sealed-canary-0123456789abcdef0123456789abcdef"

/** What GitHub gives to each job. */
const githubToken = "github-canary-0123456789abcdef"

const crons = ["23 * * * *"]

/** One journey: each test continues with the stacks that the previous one left, on a runner of its own. */
describe.skipIf(missing !== undefined)(`[bucket]${note}`, () => {
  const started = new AsyncDisposableStack()
  let directory: string
  let cloudflare: LocalCloudflare
  let contexts: Contexts
  let environment: Record<string, string>
  let owner: Checkout
  let remote: Awaited<ReturnType<typeof openGitServer>>
  let github: ReturnType<typeof createGitHub>

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "accounts-workflows-"))
    started.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
    remote = started.use(await openGitServer(githubToken))
    const bucket = started.use(await startS3("state"))
    cloudflare = await joinOrStart({ state: join(directory, "account"), apiPort: 0, port: 0 })
    started.defer(() => cloudflare.stop())
    const { command } = await findEngine({ onProgress: () => {} })
    const { home } = await preparePulumiHome({
      root: join(directory, "home"),
      choice: process.env["ACCOUNTS_PROVIDER"],
      baseUrl: cloudflare.api,
      engine: command,
    })
    environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      CI: "true",
      // Compiled code alone, of modules that a clone has as well.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      PULUMI_HOME: home,
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
      PULUMI_IGNORE_AMBIENT_PLUGINS: "1",
    }
    await writePulumiShim(hosting(), command)
    // The clones have their modules already.
    writeFileSync(join(directory, "npm"), `#!/bin/sh\n[ "$*" = ci ]\n`, { mode: 0o755 })
    github = createGitHub(directory)
    contexts = {
      "github.ref": "refs/heads/main",
      "github.token": githubToken,
      "secrets.CLOUDFLARE_API_TOKEN": cloudflare.token,
      "vars.PULUMI_BACKEND_URL": `s3://state?endpoint=${bucket.url}&region=auto&s3ForcePathStyle=true`,
      "secrets.PULUMI_CONFIG_PASSPHRASE": "a passphrase of the tests",
      "secrets.AWS_ACCESS_KEY_ID": "a-key",
      "secrets.AWS_SECRET_ACCESS_KEY": "its-secret",
    }
    owner = started.use(copyCheckout())
    for (const stack of ["staging", "production"] as const) await initialize(stack)
    writeFileSync(previewTemplate(owner), stringify({ config: previewConfig() }))
  })

  afterAll(async () => await started.disposeAsync())

  const hosting = () => join(directory, "hosting")

  /** What README tells the owner to do, once for each stack. */
  async function initialize(stack: "staging" | "production"): Promise<void> {
    const { "accounts:secrets": _, ...config } = stagingShaped({
      "accounts:environment": stack,
      "accounts:connectTo": cloudflare.edge,
      "accounts:crons": crons,
      "cloudflare:baseUrl": cloudflare.api,
      ...(stack === "production"
        ? {
            "accounts:apiOrigin": "https://api.accounts.test",
            "accounts:webOrigin": "https://app.accounts.test",
            "accounts:cookieDomain": "accounts.test",
            "accounts:trustedOrigins": ["https://app.accounts.test", "https://api.accounts.test"],
          }
        : {}),
    })
    writeFileSync(stackFile(owner, stack), stringify({ config }))
    const env = await initializeStack(stack)
    const path = "accounts:secrets.AUTH_SECRET"
    const args = ["config", "set", "-s", stack, "--secret", "--path", path]
    const options = { cwd: owner.directory, env }
    const set = spawn("pulumi", args, { ...options, stdio: ["pipe", "ignore", "inherit"] })
    set.stdin.end(`${sealed}\n`)
    expect(await once(set, "close")).toEqual([0, null])
  }

  /** @returns the environment of the owner's shell */
  async function initializeStack(stack: string) {
    const env = {
      ...environment,
      PATH: [hosting(), environment["PATH"]].join(delimiter),
      PULUMI_BACKEND_URL: contexts["vars.PULUMI_BACKEND_URL"] ?? "",
      PULUMI_CONFIG_PASSPHRASE: contexts["secrets.PULUMI_CONFIG_PASSPHRASE"] ?? "",
      AWS_ACCESS_KEY_ID: "a-key",
      AWS_SECRET_ACCESS_KEY: "its-secret",
    }
    const init = ["stack", "init", stack, "--non-interactive"]
    await execute("pulumi", init, { cwd: owner.directory, env })
    return env
  }

  function previewConfig() {
    return {
      "cloudflare:baseUrl": cloudflare.api,
      "accounts:environment": "preview",
      "accounts:accountId": cloudflare.accountId,
      "accounts:zone": "accounts.test",
      "accounts:apiOrigin": "https://api-{branch}.preview.accounts.test",
      "accounts:webOrigin": "https://web-{branch}.preview.accounts.test",
      "accounts:connectTo": cloudflare.edge,
    }
  }

  /** Runs a job on a machine that has nothing but a clone of what the owner committed. */
  async function runOnFreshMachine(job: Job | undefined, of: Contexts = contexts) {
    await using clone = copyCheckout({ built: false })
    cpSync(join(root, ".github"), join(clone.directory, ".github"), { recursive: true })
    execFileSync("git", ["remote", "add", "origin", remote.url], { cwd: clone.directory })
    cpSync(previewTemplate(owner), previewTemplate(clone))
    for (const stack of ["staging", "production"]) {
      cpSync(stackFile(owner, stack), stackFile(clone, stack))
    }
    expect(existsSync(join(clone.directory, ".build"))).toBe(false)
    if (!job) throw new Error("the workflow has no such job")
    return await runJob({
      job,
      clone: clone.directory,
      contexts: of,
      environment: { ...environment, GITHUB_HEAD_REF: "feature/Login" },
      path: [directory],
      hosting: hosting(),
    })
  }

  const schedules = (script: string, change?: string[]) => schedulesOf(cloudflare, script, change)

  const jobs = { ...readWorkflow("staging").jobs, ...readWorkflow("production").jobs }
  const { staging, plan, production } = jobs

  test("a first machine brings staging up, and keeps the encrypted state from before", async () => {
    const { summary, artifacts, ran } = await runOnFreshMachine(staging)
    expect(ran.at(-2)).toMatch(/^pulumi up /)
    expect(summary).toMatch(/this is the first deployment/)
    const keys = artifacts.map((text) => Object.keys(JSON.parse(text)).join())
    expect(keys).toEqual(["version,deployment", "commit,content"])
    github.release(artifacts.at(-1) ?? "")
    expect(await schedules("accounts-staging")).toEqual(crons)
  })

  test("a second machine shows drift in its preview and puts it right", async () => {
    await schedules("accounts-staging", ["0 0 * * *"])
    const { summary, output, artifacts } = await runOnFreshMachine(staging)
    expect(summary).toMatch(
      /### drift\n\n.*WorkersCronTrigger.*17 |### drift\n\n.*23 \* .*→ .*0 0 \* /,
    )
    expect(await schedules("accounts-staging")).toEqual(crons)
    expectNoLeak(artifacts.join() + output, { sealed })
    expect(artifacts.join()).toContain("accounts:index:Migrations")
  })

  test("production refuses by name what staging has not released", async () => {
    const released = github.released()
    github.release(released.replace(/"bundle":"\w+"/, '"bundle":"another"'))
    const refusal = /not what commit \w{40} released, by .*:\n {2}bundle: another → \w{64}\n/
    await expect(runOnFreshMachine(plan)).rejects.toThrow(refusal)
    github.release(released)
  })

  test("production's plan changes nothing, and the job that is approved deploys it", async () => {
    const planned = await runOnFreshMachine(plan)
    expect(planned.summary).toMatch(/this is the first deployment/)
    // What staging has not tried, as production has it otherwise.
    expect(planned.summary).toMatch(/^\+ {2}AUTH_URL: plain_text /m)
    await expect(schedules("accounts-production")).rejects.toThrow(/404/)
    const approve = (digest = "", steps = production?.steps ?? []) => {
      contexts["needs.plan.outputs.digest"] = digest
      return runOnFreshMachine(production && { ...production, steps })
    }
    const [up] = production?.steps.slice(-1) ?? []
    await expect(approve("0".repeat(32), up && [up])).rejects.toThrow(
      /is not the plan 0{32}: its digest is/,
    )
    await expect(schedules("accounts-production")).rejects.toThrow(/404/)
    await approve(planned.outputs["digest"])
    expect(await schedules("accounts-production")).toEqual(crons)
  })

  const ofPreview = (action = "") => ({
    ...contexts,
    ...Object.fromEntries(
      Object.entries(contexts).map(([name, value]) => [name.replace(".", ".PREVIEW_"), value]),
    ),
    "github.event.action": action,
  })

  const ofPreviews = async () => {
    const { workers, databases, domains } = await accountContents(cloudflare)
    return [...workers, ...databases, ...domains].filter((name) => name?.includes("login"))
  }

  const { preview } = readWorkflow("preview").jobs

  test("a pull request has a preview from its first push, each time by a machine of its own", async () => {
    const opened = await runOnFreshMachine(preview, ofPreview("opened"))
    const [, host] =
      /ready https:\/\/(api-feature-login-\w+\.preview\.accounts\.test)/.exec(opened.output) ?? []
    const [worker] = await ofPreviews()
    expect(worker).toMatch(/^accounts-preview-feature-login-/)
    expect(await ofPreviews()).toEqual([worker, worker, host])
    const pushed = await runOnFreshMachine(preview, ofPreview("synchronize"))
    expect(pushed.output).toContain(`ready https://${host}`)
  })

  test("the sweep deletes what has no branch at the remote any more, and nothing of a branch that exists", async () => {
    const { sweep: job } = readWorkflow("sweep").jobs
    if (!job) throw new Error("sweep.yml has no job sweep")
    const sweep = (options = "") => {
      const steps = job.steps.map((step) => ({
        ...step,
        run: step.run?.replace(" sweep ", ` sweep ${options} `),
      }))
      return runOnFreshMachine({ ...job, steps }, ofPreview())
    }
    await initializeStack("preview-gone")
    remote.push("main")
    remote.push("feature/Login")
    // However young it is.
    const swept = await sweep("--days 0")
    expect(swept.summary).toBe("preview-gone: its branch is gone.\n")
    expect(swept.output).toMatch(/Deleted preview-gone\.\n$/)
    expectNoLeak(swept.output, { githubToken })
    expect(remote.refused).not.toEqual([])
    remote.remove("feature/Login")
    expect((await sweep()).summary).toMatch(
      /^Kept preview-feature-login-\w+: updated 20\S+\.\nNothing to delete\.\n$/,
    )
    expect(await ofPreviews()).toHaveLength(3)
  })

  test("a pull request that is closed has no preview any more", async () => {
    const closed = await runOnFreshMachine(preview, ofPreview("closed"))
    expect(closed.ran.at(-1)).toBe("./accounts branch down --yes")
    expect(await ofPreviews()).toEqual([])
  })
})

function previewTemplate({ directory }: Checkout): string {
  return join(directory, "environments", "preview.yaml")
}

function stackFile({ directory }: Checkout, stack: string): string {
  return join(directory, "environments", `Pulumi.${stack}.yaml`)
}
