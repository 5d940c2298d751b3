import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { accountContents } from "./testing/account-contents.ts"
import { crons, jobToken, openPipelineSite, sealed } from "./testing/pipeline-site.ts"
import { s3Missing } from "./testing/s3-server.ts"
import { schedulesOf } from "./testing/schedules.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

/** The tests are one journey: each continues with the stacks that the previous one left, on a runner of its own. */
describe.skipIf(missing !== undefined)(`[bucket]${note}`, () => {
  let site: Awaited<ReturnType<typeof openPipelineSite>>

  beforeAll(async () => {
    site = await openPipelineSite()
  })
  afterAll(async () => await site[Symbol.asyncDispose]())

  const schedules = (script: string, change?: string[]) =>
    schedulesOf(site.cloudflare, script, change)

  test("a first machine brings staging up", async () => {
    const { summary, artifacts, ran } = await site.run("staging")
    expect(ran.join("\n")).toMatch(/^pulumi up /m)
    expect(summary).toMatch(/this is the first deployment/)
    const keys = artifacts.map((text) => Object.keys(JSON.parse(text)).join())
    expect(keys).toEqual(["commit,content"])
    site.pipeline.release(artifacts.at(-1) ?? "")
    expect(await schedules("accounts-staging")).toEqual(crons)
  })

  test("a second machine shows drift in its preview and puts it right", async () => {
    await schedules("accounts-staging", ["0 0 * * *"])
    const { summary, output, artifacts } = await site.run("staging")
    expect(summary).toMatch(/^drift +! .*(17 |23 \* |0 0 \* ).*, and was /m)
    expect(await schedules("accounts-staging")).toEqual(crons)
    expectNoLeak(artifacts.join() + output, { sealed })
  })

  test("the bucket keeps the state of each update, encrypted, and an earlier one can be brought back", async () => {
    const keys = await site.bucket.keys(".pulumi/history/accounts/staging/")
    const [first = "", second = ""] = keys.filter((key) => key.endsWith(".checkpoint.json"))
    const [text, later] = [await site.bucket.read(first), await site.bucket.read(second)]
    expectNoLeak(text + later, { sealed })
    // As docs/operating.md has it, with jq.
    const { version, checkpoint } = JSON.parse(text)
    const file = join(site.directory, "state.json")
    writeFileSync(file, JSON.stringify({ version, deployment: checkpoint.latest }))
    const pulumi = (...args: string[]) => site.pulumi(...args, "-s", "staging")
    // A secret is encrypted again each time it is written.
    const resources = ({ resources: stateResources }: { resources: unknown }) =>
      JSON.stringify(stateResources).replaceAll(/"ciphertext":"[^"]+"/g, "")
    const exported = async () => resources(JSON.parse(await pulumi("stack", "export")).deployment)
    const { latest } = JSON.parse(later).checkpoint
    expect(await exported()).toBe(resources(latest))
    expect(resources(latest)).not.toBe(resources(checkpoint.latest))
    await pulumi("stack", "import", "--file", file)
    expect(await exported()).toBe(resources(checkpoint.latest))
    writeFileSync(file, JSON.stringify({ version, deployment: latest }))
    await pulumi("stack", "import", "--file", file)
  })

  test("production refuses by name what staging has not released", async () => {
    const released = site.pipeline.released()
    site.pipeline.release(released.replace(/"bundle":"\w+"/, '"bundle":"another"'))
    const refusal = /not what commit \w{40} released, by .*:\n {2}bundle: another → \w{64}\n/
    await expect(site.run("plan")).rejects.toThrow(refusal)
    site.pipeline.release(released)
  })

  test("production's plan changes nothing, and the job that is approved deploys it", async () => {
    const planned = await site.run("plan")
    expect(planned.summary).toMatch(/this is the first deployment/)
    // Settings of production that staging has not tried.
    expect(planned.summary).toMatch(/^\+ {2}AUTH_URL: plain_text /m)
    await expect(schedules("accounts-production")).rejects.toThrow(/404/)
    await expect(site.run("production", { digest: "0".repeat(32) })).rejects.toThrow(
      /is not the plan 0{32}: its digest is/,
    )
    await expect(schedules("accounts-production")).rejects.toThrow(/404/)
    await site.run("production", { digest: planned.outputs["digest"] ?? "" })
    expect(await schedules("accounts-production")).toEqual(crons)
  })

  test("drift is named in the one issue of its environment", async () => {
    await schedules("accounts-staging", ["0 0 * * *"])
    const { output } = await site.run("drift")
    expect(site.issues.body()).toMatch(/drift: CronTriggers accounts.*\b0 0 /)
    // How it is kept up to date is in workflow-jobs.test.ts.
    expect(site.issues.events()).toEqual(["issue create"])
    expectNoLeak(output + site.issues.body(), { sealed, jobToken })
  })

  test("production is backed up, encrypted for a key that the job of the restore alone has", async () => {
    const stored = await site.run("backup")
    const [key = ""] = await site.backups.keys("production/")
    expect(stored.summary).toContain(key)
    expect(await site.backups.read(key)).toMatch(/^age-encryption\.org\/v1\n/)
    const { summary } = await site.run("restore")
    expect(summary).toContain(key)
    expect(summary).toMatch(/user/)
  })

  const ofPreviews = async () => {
    const { workers, databases, domains } = await accountContents(site.cloudflare)
    return [...workers, ...databases, ...domains].filter((name) => name?.includes("login"))
  }

  test("a pull request has a preview from its first push, each time by a machine of its own", async () => {
    const opened = await site.run("preview")
    const [, host] =
      /ready https:\/\/(api-feature-login-\w+\.preview\.accounts\.test)/.exec(opened.output) ?? []
    const [worker] = await ofPreviews()
    expect(worker).toMatch(/^accounts-preview-feature-login-/)
    expect(await ofPreviews()).toEqual([worker, worker, host])
    const pushed = await site.run("preview")
    expect(pushed.output).toContain(`ready https://${host}`)
  })

  test("the sweep deletes what has no branch at the remote any more, and nothing of a branch that exists", async () => {
    await site.initializeStack("preview-gone")
    site.remote.push("main")
    site.remote.push("feature/Login")
    // However young it is.
    const swept = await site.run("sweep", { sweeping: "--days 0" })
    expect(swept.summary).toMatch(/^preview-gone: its branch is gone\.$/m)
    expect(swept.output).toMatch(/^Deleted preview-gone\.$/m)
    expectNoLeak(swept.output, { jobToken })
    expect(site.remote.refused).not.toEqual([])
    expect(await ofPreviews()).toHaveLength(3)
  })

  test("a pull request that is closed has no preview any more", async () => {
    const closed = await site.run("preview down")
    expect(closed.ran.at(-1)).toContain("./accounts branch down --yes")
    expect(await ofPreviews()).toEqual([])
  })
})
