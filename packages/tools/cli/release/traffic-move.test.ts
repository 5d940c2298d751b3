import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { Failure } from "../../base/failure.ts"
import { describeDeployment, allTraffic } from "../../deploy/release/deployments.ts"
import type { Behaviour } from "../../deploy/testing/account.ts"
import { schemaUseBinding, writeSchemaUse } from "../../deploy/version/schema-use.ts"
import { readStatus } from "../database/status/status.ts"
import { startAccount } from "../database/testing/database-site.ts"
import { describeDeployments, readReleaseStatus, withoutTrials } from "./release-status.ts"
import { options, setUpReleased } from "./testing/released-worker.ts"
import { moveTraffic, planRollback, expectSame } from "./traffic-move.ts"

const underTest = await startAccount()
const { account } = underTest

async function setUp(...behaviours: Behaviour[]) {
  return await setUpReleased(underTest, behaviours)
}

test("a rollback gives all traffic to the version before, after a trial at 0 %", async () => {
  await using worker = await setUp("well", "well", "well")
  const [, before = "", now = ""] = worker.versions
  const planned = await planRollback(worker.site)
  expect(planned.to).toEqual([{ versionId: before, percentage: 100 }])
  await moveTraffic(worker.site, planned, options)
  expect((await worker.shares()).slice(0, 3)).toEqual([
    { [before]: 100 },
    { [before]: 0, [now]: 100 },
    { [now]: 100 },
  ])
  const [live] = await account.deployments(worker.site.worker)
  expect(live?.message).toMatch(new RegExp(`^rolled back from ${now}, at [0-9a-f]{12}.* by `))
})

test("a second rollback goes back to where the first came from", async () => {
  await using worker = await setUp("well", "well")
  const [, second] = worker.versions
  await moveTraffic(worker.site, await planRollback(worker.site), options)
  const { to } = await planRollback(worker.site)
  expect(to).toEqual([{ versionId: second, percentage: 100 }])
})

test.each([
  ["ahead", /a migration since, up to 0003_d\.sql, dropped/],
  ["sick", /answered 500/],
] as const)("a former version that is %s now gets no traffic", async (behaviour, reason) => {
  await using worker = await setUp(behaviour, "well")
  const [before = "", now = ""] = worker.versions
  // A version that is never healthy is waited for until the end.
  const patience = behaviour === "sick" ? 5000 : options.patience
  const rolled = moveTraffic(worker.site, await planRollback(worker.site), { ...options, patience })
  await expect(rolled).rejects.toThrow(reason)
  await expect(rolled).rejects.toThrow(`Version ${now} serves again at 100 % and is healthy.`)
  const shares = await worker.shares()
  expect(shares[0]).toEqual({ [now]: 100 })
  // Only its first release ever gave it traffic.
  expect(shares.filter((split) => (split[before] ?? 0) > 0)).toHaveLength(1)
})

test("a rollback that is interrupted in its trial leaves all traffic where it was", async () => {
  await using worker = await setUp("sick", "well")
  const [before = "", now = ""] = worker.versions
  const interrupt = new AbortController()
  const { signal } = interrupt
  const move = { ...options, patience: 60_000, signal }
  const rolled = moveTraffic(worker.site, await planRollback(worker.site), move)
  await expect
    .poll(async () => (await worker.shares())[0], { timeout: 20_000 })
    .toEqual({ [before]: 0, [now]: 100 })
  interrupt.abort()
  await expect(rolled).rejects.toThrow(`Version ${now} serves again at 100 % and is healthy.`)
  expect((await worker.shares())[0]).toEqual({ [now]: 100 })
})

test("a rollback over a secret that has changed since says which, and needs to be forced", async () => {
  await using site = await underTest.openSite({})
  const workerId = await account.createWorker(site.worker)
  const release = async (text: string) => {
    const secret = { type: "secret_text", name: "ROTATED", text }
    const version = await account.createVersion(workerId, "well", [secret])
    await account.deploy(site.worker, { [version]: 100 })
    return version
  }
  const before = await release("one")
  await release("two")
  const planned = await planRollback(site)
  await expect(moveTraffic(site, planned, options)).rejects.toThrow(
    /secrets have changed: ROTATED.* serves again at 100 % and is healthy\. To restore the earlier secrets as well: --force$/s,
  )
  const warnings: string[] = []
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message) }
  await moveTraffic(site, await planRollback(site), { ...options, force: true, log })
  expect(warnings).toContain(`secrets have former values again, those of ${before}: ROTATED`)
  expect((await account.deployments(site.worker))[0]?.shares).toEqual({ [before]: 100 })
})

test("a deployment by another client after the plan stays, and is named", async () => {
  await using worker = await setUp("well", "well")
  const planned = await planRollback(worker.site)
  const [first = "", second = ""] = worker.versions
  await account.deploy(worker.site.worker, { [first]: 50, [second]: 50 }, "canary by hand")
  await expect(moveTraffic(worker.site, planned, options)).rejects.toThrow(/canary by hand/)
  expect((await worker.shares())[0]).toEqual({ [first]: 50, [second]: 50 })
})

test.each([
  ["the version that serves", undefined, /serves all traffic already/],
  ["an unknown version", crypto.randomUUID(), /has no version/],
])("%s is refused before anything moves", async (_what, version, message) => {
  await using worker = await setUp("well", "well")
  const before = await worker.shares()
  const target = version ?? worker.versions[1]
  await expect(planRollback(worker.site, target)).rejects.toThrow(message)
  expect(await worker.shares()).toEqual(before)
})

test("a version that uses what was dropped since is refused before anything moves", async () => {
  await using site = await underTest.openSite({
    "0000_first.sql": "CREATE TABLE user (id TEXT PRIMARY KEY, note TEXT);",
    "0001_second.sql":
      "-- accounts:loses user.note: the notes are unused\nALTER TABLE user DROP COLUMN note;",
  })
  await site.migrate()
  const workerId = await account.createWorker(site.worker)
  const versions: string[] = []
  for (const [head, columns] of [
    ["0000_first.sql", ["id", "note"]],
    ["0001_second.sql", ["id"]],
  ] as const) {
    const text = writeSchemaUse({ head, tables: { user: [...columns] } })
    const version = await account.createVersion(workerId, "well", [
      { type: "d1", name: "DB", database_id: site.databaseId },
      { type: "plain_text", name: schemaUseBinding, text },
    ])
    await account.deploy(site.worker, { [version]: 100 })
    versions.push(version)
  }
  const before = await account.deployments(site.worker)
  await expect(planRollback(site)).rejects.toThrow(
    new RegExp(
      `^${versions[0]} does not fit the schema: it uses user\\.note, which the schema has not`,
    ),
  )
  expect(await account.deployments(site.worker)).toEqual(before)
  using _outage = underTest.proxy.injectAll([
    { method: "POST", path: /\/d1\/database\//, fault: "500 before", times: 100 },
  ])
  await expect(planRollback(site)).rejects.toThrow("500")
})

test("a Worker that never served another version has no way back", async () => {
  await using worker = await setUp("well")
  await expect(planRollback(worker.site)).rejects.toThrow(/No version of .* has served before/)
})

test("the status says what serves, by whom, and whether the schema fits it", async () => {
  await using worker = await setUp("well", "behind")
  const status = await readReleaseStatus(worker.site)
  const [, live = ""] = worker.versions
  expect(status).toMatchObject({
    worker: worker.site.worker,
    deployment: { message: "release 1", split: [{ versionId: live, percentage: 100 }] },
    version: { id: live, schema: "behind" },
  })
  const { attention } = await readStatus(worker.site, [])
  expect(status.attention).toMatch(
    /needs 0002_c\.sql, but the database stands at 0001_b\.sql: deploy/,
  )
  expect(attention).toEqual([status.attention])
})

test("a foreign message cannot steer the terminal", async () => {
  const at = "2026-01-01T00:00:00Z"
  const split = [{ versionId: "v", percentage: 100 }]
  const deployment = { id: "1", split, author: "eve\u001B[2J", at, message: "\u001B]0;title\u0007" }
  // oxlint-disable-next-line no-control-regex -- these are what must not come through
  expect(describeDeployments([deployment])).not.toMatch(/\u001B\]|\u0007|\u001B\[2J/)
  expect(describeDeployment({ ...deployment, message: "a\n::warning::b" })).toContain(`("a\\n::`)
})

test("a list of releases has each once, and a trial that came to nothing", () => {
  const of = (...split: [string, number][]) => ({
    id: "1",
    author: "ada",
    at: "2026-01-01T00:00:00Z",
    message: "release",
    split: split.map(([versionId, percentage]) => ({ versionId, percentage })),
  })
  const released = of(["b", 100])
  const canary = of(["a", 90], ["b", 10])
  const undone = of(["a", 100])
  const failed = of(["a", 100], ["c", 0])
  const deployments = [
    of(["a", 100], ["d", 0]),
    released,
    canary,
    of(["a", 100], ["b", 0]),
    undone,
    failed,
  ]
  expect(withoutTrials(deployments)).toEqual([deployments[0], released, canary, undone, failed])
})

test("a deployment for a trial names the version that is tried", () => {
  const of = { id: "1", author: "ada", at: "2026-01-01T00:00:00Z", message: "release" }
  const [old, trial] = [
    { versionId: "old", percentage: 100 },
    { versionId: "new", percentage: 0 },
  ]
  const [text] = describeDeployments([{ ...of, split: [old, trial] }]).split("\n")
  expect(text).toContain("old at 100 %, while new at 0 % is tried")
  expect(describeDeployments([{ ...of, split: [old] }])).not.toContain("tried")
})

/** The first of three versions, and what a run that released another one left of its deployments. */
async function setUpKilled(...shares: number[]) {
  const worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  await account.deploy(worker.site.worker, { [first]: 100 }, "by hand")
  for (const share of shares) {
    const split = { [first]: 100 - share, [second]: share }
    await account.deploy(worker.site.worker, split, "a release that was killed")
  }
  return { ...worker, first, second, third }
}

test.each([
  ["its trial", [0]],
  ["a step", [0, 10]],
  ["its last step but one", [0, 10, 50, 90]],
] as const)(
  "a release that was killed at %s is rolled back, or finished by the name of its version",
  async (_when, shares) => {
    await using worker = await setUpKilled(...shares)
    const { site, first, second } = worker
    const back = await planRollback(site)
    expect(back.to).toEqual(allTraffic(first))
    const finished = await planRollback(site, second)
    await moveTraffic(site, back, options)
    const [live, ...before] = await worker.shares()
    expect(live).toEqual({ [first]: 100 })
    // It goes there at once: the version that is to serve has been deployed all the time.
    expect(before).toHaveLength(shares.length + 4)
    await expect(planRollback(site, first)).rejects.toThrow("serves all traffic already")
    // A plan from before another client's deployment changes nothing.
    await expect(moveTraffic(site, finished, options)).rejects.toThrow(
      "another client has deployed",
    )
  },
)

test("the new version of a split gets all traffic after its health and schema were asked", async () => {
  await using worker = await setUpKilled(0, 10)
  await moveTraffic(worker.site, await planRollback(worker.site, worker.second), options)
  expect((await worker.shares())[0]).toEqual({ [worker.second]: 100 })
  const [live] = await account.deployments(worker.site.worker)
  expect(live?.message).toMatch(/^rolled back from .* at \d+ % and .* at \d+ %, at [0-9a-f]{12}/)
})

test("a canary that is sick is not finished, and its split stays", async () => {
  await using worker = await setUp("sick", "well")
  const [sick = "", well = ""] = worker.versions
  const split = { [well]: 90, [sick]: 10 }
  await account.deploy(worker.site.worker, split, "canary by hand")
  const finished = moveTraffic(worker.site, await planRollback(worker.site, sick), {
    ...options,
    patience: 3000,
  })
  await expect(finished).rejects.toThrow(/answered 500.*Nothing was changed: live is/s)
  expect((await worker.shares())[0]).toEqual(split)
})

test("a rollback of a split gives all traffic to the version from before it, or to one that is named", async () => {
  await using worker = await setUpKilled(0, 10, 50)
  const { site, first, third } = worker
  expect((await planRollback(site)).to).toEqual(allTraffic(first))
  await moveTraffic(site, await planRollback(site, third), options)
  expect((await worker.shares()).slice(0, 2)).toEqual([
    { [third]: 100 },
    { [first]: 100, [third]: 0 },
  ])
})

test("a rollback goes back to the split before, each of its versions tried at 0 %", async () => {
  await using worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  const split = { [first]: 90, [second]: 10 }
  for (const shares of [split, { [first]: 100, [third]: 0 }, { [third]: 100 }]) {
    await account.deploy(worker.site.worker, shares, "release over a split")
  }
  await moveTraffic(worker.site, await planRollback(worker.site), options)
  expect((await worker.shares()).slice(0, 3)).toEqual([
    split,
    { [third]: 100, [second]: 0 },
    { [third]: 100, [first]: 0 },
  ])
})

test("a release over a split that was killed at its trial is rolled back to that split", async () => {
  await using worker = await setUp("well", "well", "well")
  const [first = "", second = "", third = ""] = worker.versions
  const split = { [first]: 90, [second]: 10 }
  for (const shares of [{ [first]: 100 }, split, { [first]: 100, [third]: 0 }]) {
    await account.deploy(worker.site.worker, shares, "release over a split")
  }
  await moveTraffic(worker.site, await planRollback(worker.site), options)
  expect((await worker.shares())[0]).toEqual(split)
})

test("of two versions that nothing served before, the one to serve has to be named", async () => {
  await using site = await underTest.openSite({})
  const workerId = await account.createWorker(site.worker)
  const [first, second] = [
    await account.createVersion(workerId, "well"),
    await account.createVersion(workerId, "well"),
  ]
  await account.deploy(site.worker, { [first]: 50, [second]: 50 })
  await expect(planRollback(site)).rejects.toThrow("Name one of several")
  expect((await planRollback(site, second)).to).toEqual(allTraffic(second))
})

const candidate = { commit: "0123abc", content: { bundle: "a", "migration 0000_a.sql": "b" } }

function expectWritten(text: string | undefined) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-candidate-"))
  const file = join(folder.path, "released.json")
  if (text !== undefined) writeFileSync(file, text)
  expectSame(file, candidate)
}

test("what differs from what was released is named", () => {
  expectWritten(JSON.stringify(candidate))
  const otherCandidate = { ...candidate, content: { bundle: "c" } }
  expect(() => expectWritten(JSON.stringify(otherCandidate))).toThrow(
    /0123abc.*\n {2}bundle: c → a\n {2}migration 0000_a\.sql: none → b$/,
  )
})

test.each([undefined, "", '{"commit":"0123', "{}", "null", '{"commit":1,"content":{}}'])(
  "a file that holds %s is said in one plain sentence",
  (text) => {
    const run = () => expectWritten(text)
    expect(run).toThrow(Failure)
    expect(run).toThrow(
      /^\S*released\.json is not what \.\/accounts release candidate has printed\.$/,
    )
  },
)
