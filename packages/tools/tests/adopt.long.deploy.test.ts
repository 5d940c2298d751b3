import { once } from "node:events"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { killProcessTree } from "./testing/engine/interruption.ts"
import { firedFaults, setFaults } from "./testing/faults/fault-rules.ts"
import { sendRequest } from "./testing/send-request.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const name = "legacy"
const host = "api.staging.accounts.test"
const route = "app.staging.accounts.test/api/*"
const foreign = "www.accounts.test/legacy/*"

/** The tests are one journey: each continues with the account and the stack that the previous one left. */
let site: StagingSite
let database: string
let worker: string

beforeAll(async () => {
  site = await openStagingSite()
  const { account } = site
  database = await account.createDatabase(name)
  await account.query(database, "CREATE TABLE older (id TEXT)")
  await account.query(database, "INSERT INTO older VALUES ('kept')")
  worker = await account.createWorker(name, false)
  await release([{ type: "d1", name: "OLD", database_id: database }])
  await account.attachDomain(name, host)
  await account.setRoutes(name, route, foreign)
  site.configure({ "accounts:name": name, "accounts:routes": [route] })
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

/** As wrangler deploys it. */
async function release(bindings: { type: string; name: string; database_id: string }[]) {
  const version = await site.account.createVersion(worker, "well", bindings)
  await site.account.deploy(name, { [version]: 100 })
}

const Exported = z.object({
  deployment: z.object({
    resources: z.array(z.looseObject({ urn: z.string(), id: z.string().optional() })).default([]),
  }),
})

function stored() {
  return Exported.parse(JSON.parse(site.pulumi("stack", "export"))).deployment.resources
}

const Adopted = z.object({
  found: z.array(z.object({ kind: z.string(), id: z.string(), label: z.string() })),
  stays: z.array(z.object({ label: z.string() })),
  adopted: z.array(z.string()),
})

async function up() {
  const { stdout } = await site.checkout.succeed("up", "-s", "staging", "--yes", "--json")
  return z.object({ changes: z.record(z.string(), z.number()) }).parse(JSON.parse(stdout)).changes
}

/** Asks the service all the time until it is disposed of; `failed` has what was no answer of it. */
function startTraffic() {
  const failed: unknown[] = []
  const end = new AbortController()
  let answers = 0
  const ask = async () => {
    const url = `https://${host}/api/health`
    const answer = await sendRequest(url, { connectTo: site.cloudflare.edge }).catch(String)
    answers += 1
    if (typeof answer === "string" || answer.status !== 200) failed.push(answer)
    await sleep(50)
    if (!end.signal.aborted) await ask()
  }
  const asking = ask()
  return {
    failed,
    count: () => answers,
    async [Symbol.asyncDispose]() {
      end.abort()
      await asking
    },
  }
}

test("everything that exists is said by its id, and without a yes nothing is taken over", async () => {
  const dryRun = ["repair", "--adopt", "-s", "staging", "--dry-run", "--json"]
  const { stdout, stderr } = await site.checkout.succeed(...dryRun)
  const { found, stays, adopted } = Adopted.parse(JSON.parse(stdout))
  expect(found.map(({ kind }) => kind)).toEqual(["database", "Worker", "host", "route"])
  expect(found.slice(0, 2).map(({ id }) => id)).toEqual([database, worker])
  for (const { id } of found) expect(stderr).toContain(id)
  expect(stays.map(({ label }) => label)).toEqual([expect.stringContaining(`route ${foreign} (`)])
  expect(adopted).toEqual([])
  const { code, stderr: refusal } = await site.adopt()
  expect({ code, refusal }).toEqual({
    code: 2,
    refusal: expect.stringContaining(
      "Take all of this into the state of staging? Confirm with --yes",
    ),
  })
  expect(stored()).toEqual([])
})

test("what may be another's is listed, and then nothing is taken over", async () => {
  const { account } = site
  const otherWorker = await account.createWorker("other")
  await account.setRoutes("other", "app.staging.accounts.test/other/*")
  const tagged = { name, tags: ["environment=production"] }
  const spare = await account.createDatabase("spare")
  await release([{ type: "d1", name: "OLD", database_id: spare }])
  await account.call("PATCH", `/workers/workers/${worker}`, tagged)
  site.configure({
    "accounts:routes": [route, "app.staging.accounts.test/other/*"],
    "accounts:jurisdiction": "eu",
    "accounts:location": undefined,
  })
  const { code, stdout, stderr } = await site.adopt("--yes", "--json")
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(
    stderr
      .split("\n")
      .filter((line) => line.startsWith("  "))
      .toSorted(),
  ).toEqual([
    expect.stringMatching(/^ {2}Worker legacy \(.*\) is tagged environment=production: /),
    expect.stringMatching(`^  Worker legacy .* serves with the database ${spare} \\(OLD\\), and `),
    expect.stringMatching(/^ {2}database legacy \(.*\) has the jurisdiction none, .*: remove /),
    expect.stringMatching(
      /^ {2}route app\S+other\/\* \(.*\) leads to the Worker other: delete it /,
    ),
  ])
  expect(stored()).toEqual([])

  await account.call("PATCH", `/workers/workers/${worker}`, { name, tags: [] })
  await release([{ type: "d1", name: "OLD", database_id: database }])
  await account.call("DELETE", `/workers/workers/${otherWorker}`)
  await account.call("DELETE", `/d1/database/${spare}`)
  site.configure({
    "accounts:routes": [route],
    "accounts:jurisdiction": undefined,
    "accounts:location": "weur",
  })
})

test("while another operator's run holds the stack, nothing is taken over", async () => {
  const locks = join(site.backend, ".pulumi/locks/organization/accounts/staging")
  mkdirSync(locks, { recursive: true })
  const timestamp = "2026-11-22T03:00:00Z"
  const lock = { pid: 1, username: "ada", hostname: "runner-3", timestamp }
  writeFileSync(join(locks, "theirs.json"), JSON.stringify(lock))
  const { code, stderr } = await site.adopt("--yes")
  expect(code).toBe(1)
  expect(stderr).toContain("The stack staging is locked by process 1 of ada on runner-3")
  rmSync(locks, { recursive: true })
  expect(stored()).toEqual([])
})

test("killed while it takes over, it does so the next time, and a third time has nothing to do", async () => {
  const { checkout, cloudflare } = site
  const hung = ["*/d1/database/*", "*/workers/domains/*"].map((path) => ({
    name: path,
    match: { surface: "api", method: "GET", path },
    when: { nth: 1 },
    action: { type: "hang", applied: true },
  }))
  await setFaults(cloudflare, hung)
  const child = checkout.spawn("repair", "--adopt", "-s", "staging", "--yes")
  await expect
    .poll(async () => (await firedFaults(cloudflare)).length, { timeout: 120_000 })
    .toBe(hung.length)
  killProcessTree(z.number().parse(child.pid))
  await once(child, "close")
  await setFaults(cloudflare, [])
  const locked = await site.adopt("--yes")
  expect(locked.stderr).toContain("The stack staging is locked by ")
  const repair = await checkout.succeed("repair", "-s", "staging", "--unlock")
  // An import that was killed does not make it the stack's own.
  expect(repair.stderr).toMatch(/Left alone, .*:\n {2}database legacy/)

  await checkout.succeed("repair", "--adopt", "-s", "staging", "--yes")
  const types = stored().map(({ urn }) => urn.split("::")[2]?.split(/[$:]/).at(-1))
  expect(types).toEqual(
    expect.arrayContaining(["D1Database", "Worker", "WorkersCustomDomain", "WorkersRoute"]),
  )
  const text = JSON.stringify(stored())
  expect(text).not.toContain("propagationPolicy")
  const { stdout, stderr } = await site.adopt("--yes", "--json")
  expect(Adopted.parse(JSON.parse(stdout))).toMatchObject({ found: [], adopted: [] })
  expect(stderr).toContain("staging has in its state whatever the account has of it.")
  expect(JSON.stringify(stored())).toEqual(text)
})

test("rows and traffic stay while up makes it the stack's own, and a second up has 0 changes", async () => {
  const before = await accountContents(site.cloudflare)
  await using traffic = startTraffic()
  const changes = await up()
  // The settings of the Worker; all that is created is the project's own, and the crons.
  expect(changes["update"]).toBe(1)
  expect(Object.keys(changes).toSorted()).toEqual(["create", "same", "update"])
  expect(traffic.count()).toBeGreaterThan(5)
  expect(traffic.failed).toEqual([])
  expect(await accountContents(site.cloudflare)).toEqual(before)
  expect([await site.idsOf("d1/database"), await site.idsOf("workers/workers")]).toEqual([
    [database],
    [worker],
  ])
  expect(await site.account.query(database, "SELECT id FROM older")).toEqual([{ id: "kept" }])
  const { stdout } = await site.checkout.succeed(
    "plan",
    "-s",
    "staging",
    "--expect-no-changes",
    "--json",
  )
  expect(Object.keys(JSON.parse(stdout).changes)).toEqual(["same"])
  expect(await up()).toEqual({ same: expect.any(Number) })
})

test("a plan names the settings that up changes, and what others have changed", async () => {
  site.configure({ "accounts:logSampling": 0.5, "accounts:readReplication": "auto" })
  const tags = ["environment=staging", "theirs"]
  await site.account.call("PATCH", `/workers/workers/${worker}`, { tags })
  const { stdout } = await site.checkout.succeed("plan", "-s", "staging")
  expect(stdout).toMatch(/! Worker accounts: tags is /)
  expect(stdout).toMatch(/~ update Worker accounts \(protected\): observability, tags$/m)
  expect(stdout).toMatch(/~ update database accounts \(protected\): readReplication$/m)
  expect(await up()).toMatchObject({ update: 4 })
  expect(await site.account.call("GET", `/workers/workers/${worker}`)).toMatchObject({
    observability: { head_sampling_rate: 0.5 },
  })
})

test("a policy that an import by hand has invented is named, and removed by repair", async () => {
  const exported = JSON.parse(site.pulumi("stack", "export"))
  const Stored = z.looseObject({ type: z.string(), outputs: z.record(z.string(), z.any()) })
  for (const resource of exported.deployment.resources) {
    const { data } = Stored.safeParse(resource)
    if (data?.type !== "cloudflare:index/worker:Worker") continue
    const { __pulumi_raw_state_delta: _, ...outputs } = data.outputs
    outputs["observability"].traces.propagationPolicy = "authenticated"
    Object.assign(resource, { outputs })
  }
  site.pulumi("stack", "import", { input: JSON.stringify(exported) })
  site.configure({ "accounts:logSampling": 0.25 })
  const { code, stderr } = await site.up()
  expect(code).toBe(1)
  expect(stderr).toContain("propagation_policy requires the trace propagation feature")
  expect(stderr).toContain("Remove it with: ./accounts repair -s staging\n")
  await site.checkout.succeed("repair", "-s", "staging")
  expect(await up()).toMatchObject({ update: 1 })
})

test("resources that were deleted by hand do not stop a destroy", async () => {
  const { account, cloudflare } = site
  await account.call("DELETE", `/workers/workers/${worker}`)
  await account.call("DELETE", `/d1/database/${database}`)
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
  site.pulumi("state", "unprotect", "--all", "--yes")
  await site.checkout.succeed("destroy", "-s", "staging", "--yes")
  expect(stored()).toEqual([])
})
