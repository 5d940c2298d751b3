import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { Failure } from "../../../failure.ts"
import { requestService } from "../../../provider/release/service-request.ts"
import type { Behaviour } from "../../../provider/testing/account.ts"
import { backUp } from "../backup/backup.ts"
import { readContents } from "../table-contents.ts"
import { startAccount } from "../testing/database-site.ts"
import { travelTo } from "./bring-back.ts"
import { restore, undoRestore, type Target } from "./restore.ts"
import { newPlan, type Plan } from "./stand-in.ts"
import { deployStandIn, deploymentsOf } from "./stop-traffic.ts"
import { targetOfFile, targetOfMoment } from "./target.ts"

const underTest = await startAccount()
const { account } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

const files = {
  "0000_user.sql": "CREATE TABLE user (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL);",
  "0001_session.sql":
    "CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user(id) ON DELETE CASCADE);",
}

const secret = { type: "secret_text", name: "ROTATED", text: "the secret" } as const

/** A stack whose versions were deployed one after the other; the last one serves. */
async function setUp(...behaviours: Behaviour[]) {
  const site = await underTest.openSite(files)
  await site.migrate()
  const workerId = await account.createWorker(site.worker)
  const versions: string[] = []
  for (const behaviour of behaviours) {
    const version = await account.createVersion(workerId, behaviour, [secret])
    await account.deploy(site.worker, { [version]: 100 })
    versions.push(version)
  }
  const directory = await mkdtemp(join(tmpdir(), "accounts-restore-test-"))
  const query = (sql: string) => account.query(site.databaseId, sql)
  await query(
    "INSERT INTO user VALUES ('u1', 1), ('u2', 2); INSERT INTO session VALUES ('s1', 'u1')",
  )
  const told: string[] = []
  const options = {
    signal: new AbortController().signal,
    patience: 60_000,
    takeOver: false,
    say: () => {},
    expectUnlocked: async () => {},
    confirm: async (losses: string) => void told.push(losses),
  }
  return {
    ...site,
    versions,
    directory,
    query,
    told,
    options,
    contents: () => readContents(site.database),
    ask: (path: string, headers = {}) =>
      requestService({ address: site.address, path, headers, timeout: 60_000 }),
    live: async () => (await account.deployments(site.worker))[0]?.shares,
    restore: (target: Target, more: Partial<typeof options> = {}) =>
      restore(site, target, { ...options, ...more }),
    /** As a run leaves it that was killed. */
    async killed(change: Partial<Plan>, source: Plan["source"]) {
      const live = await deploymentsOf(site).live()
      if (live === undefined) throw new Error("nothing is live")
      const plan = newPlan(site.databaseId, { source, before: live.split })
      const holder = { ...plan.holder, pid: 999_999_999 }
      await deployStandIn(site, { ...plan, holder, ...change }, live)
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
      await site[Symbol.asyncDispose]()
    },
  }
}

test("traffic is stopped with the reason, and comes back with the rows", async () => {
  await using site = await setUp("well")
  const before = await site.contents()
  const bookmark = await site.database.bookmark()
  const now = Date.now()
  await site.query(`DELETE FROM session; INSERT INTO user VALUES ('u3', ${now + 60_000})`)
  const meanwhile: unknown[] = []
  const target = await targetOfMoment(site, bookmark)
  const { undo, versionId } = await site.restore(target, {
    async confirm() {
      const health = await site.ask("/api/health")
      const call = await site.ask("/api/v1/readMember", { origin: "https://app.test" })
      meanwhile.push(health.status, JSON.parse(health.text), call.status, JSON.parse(call.text))
      meanwhile.push(call.headers["retry-after"], call.headers["access-control-allow-origin"])
    },
  })
  const reason = expect.stringMatching(/^The database is being restored since 20/)
  const version = { id: expect.any(String), tag: expect.stringContaining("restore-stop") }
  expect(meanwhile).toEqual([
    503,
    { status: "maintenance", reason, version },
    503,
    { code: "MAINTENANCE", message: expect.stringMatching(/restored since .*Try again later/) },
    "60",
    "https://app.test",
  ])
  expect(await site.contents()).toEqual(before)
  expect(versionId).toBe(site.versions[0])
  expect(await site.live()).toEqual({ [versionId]: 100 })

  await site.restore(await targetOfMoment(site, undo))
  expect(await site.query("SELECT id FROM user ORDER BY id")).toHaveLength(3)
})

test("what would be lost is said by table, as far as it is known", async () => {
  await using site = await setUp("well")
  const bookmark = await site.database.bookmark()
  const time = new Date().toISOString()
  await site.query(`INSERT INTO user VALUES ('u3', ${Date.now() + 60_000})`)
  await site.restore(await targetOfMoment(site, time))
  expect(site.told.join()).toMatch(/user +3 rows now, 1 of them made since/)
  expect(site.told.join()).toMatch(/session +1 rows now, then is not known/)

  await site.query("DELETE FROM session")
  const output = join(site.directory, "backup.sql")
  await backUp(site, { output, signal: site.options.signal, say: () => {} })
  await site.query("INSERT INTO session VALUES ('s2', 'u1'), ('s3', 'u1')")
  await site.restore(await targetOfFile(site, output))
  expect(site.told.at(-1)).toMatch(/session +2 rows now, 0 then \(2 fewer\)/)
  expect(await site.query("SELECT id FROM session")).toEqual([])
  await travelTo(site, bookmark)
})

test("a file brings back all that it holds, and nothing that came since stays", async () => {
  await using site = await setUp("well")
  const output = join(site.directory, "backup.sql")
  await backUp(site, { output, signal: site.options.signal, say: () => {} })
  const before = await site.contents()
  await site.query(
    "CREATE TABLE later (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO later VALUES (NULL); DELETE FROM user",
  )
  await site.restore(await targetOfFile(site, output))
  expect(await site.contents()).toEqual(before)
})

test("a version that needs what is gone is passed over for the one that fits", async () => {
  await using site = await setUp("well", "behind")
  const target = await targetOfMoment(site, await site.database.bookmark())
  const { versionId } = await site.restore(target)
  expect(versionId).toBe(site.versions[0])
})

test("traffic stays stopped where no version fits", async () => {
  await using site = await setUp("behind")
  const target = await targetOfMoment(site, await site.database.bookmark())
  await expect(site.restore(target)).rejects.toThrow(
    /No version that served before fits the schema/,
  )
  expect((await site.ask("/api/health")).status).toBe(503)
})

test("whoever declines has the traffic back, and nothing is changed", async () => {
  await using site = await setUp("well")
  const target = await targetOfMoment(site, await site.database.bookmark())
  await site.query("DELETE FROM session")
  const confirm = () => Promise.reject(new Failure("COMMAND_FAILED", "Nothing was changed."))
  await expect(site.restore(target, { confirm })).rejects.toThrow("Nothing was changed.")
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
  expect(await site.query("SELECT id FROM session")).toEqual([])
})

test("a deployment that runs is waited for: nothing is stopped", async () => {
  await using site = await setUp("well")
  const target = await targetOfMoment(site, await site.database.bookmark())
  const expectUnlocked = () => Promise.reject(new Failure("LOCKED", "somebody deploys"))
  await expect(site.restore(target, { expectUnlocked })).rejects.toThrow("somebody deploys")
  expect(await account.deployments(site.worker)).toHaveLength(1)
})

test("a file that D1 refuses half-way changes nothing, and the service is back", async () => {
  await using site = await setUp("well")
  const before = await site.contents()
  const file = join(site.directory, "broken.sql")
  await writeFile(
    file,
    `CREATE TABLE user (id TEXT PRIMARY KEY);\nINSERT INTO "user" VALUES('a');\nINSERT INTO "user" VALUES('a');\n`,
  )
  const refused = site.restore(await targetOfFile(site, file))
  await expect(refused).rejects.toThrow(/UNIQUE constraint failed.*The database is as it was/s)
  expect(await site.contents()).toEqual(before)
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
})

test.each(["before it", "after it"])(
  "a run that was killed %s is continued by the next",
  async (when) => {
    await using site = await setUp("well")
    const before = await site.contents()
    const target = await targetOfMoment(site, await site.database.bookmark())
    await site.query("DELETE FROM session")
    const undo = await site.database.bookmark()
    await site.killed({ undo }, target.source)
    if (when === "after it") await travelTo(site, undo)
    const other = await targetOfMoment(site, undo)
    await expect(site.restore(other)).rejects.toThrow(/was interrupted\. Give the same again/)
    const restored = await site.restore(target)
    expect(restored.undo).toBe(undo)
    expect(await site.contents()).toEqual(before)
    expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
  },
)

test("a run that was killed is undone", async () => {
  await using site = await setUp("well")
  const target = await targetOfMoment(site, await site.database.bookmark())
  await site.query("DELETE FROM session")
  const changed = await site.contents()
  await site.killed({ undo: await site.database.bookmark() }, target.source)
  await travelTo(site, target.source.kind === "bookmark" ? target.source.bookmark : "")
  expect(await undoRestore(site, site.options)).toBe(site.versions[0])
  expect(await site.contents()).toEqual(changed)
})

test("a run that was killed before it restored anything starts over, to anywhere", async () => {
  await using site = await setUp("well")
  const target = await targetOfMoment(site, await site.database.bookmark())
  await site.killed({}, { kind: "bookmark", bookmark: "another" })
  await site.restore(target)
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
})

test("two restores at once are refused, and one on another machine is named", async () => {
  await using site = await setUp("well")
  const target = await targetOfMoment(site, await site.database.bookmark())
  const { holder } = newPlan(site.databaseId, { source: target.source, before: [] })
  await site.killed({ holder: { ...holder, pid: process.ppid } }, target.source)
  await expect(site.restore(target)).rejects.toThrow(/A restore is running: process/)
  await using elsewhere = await setUp("well")
  await elsewhere.killed({ holder: { ...holder, host: "elsewhere" } }, target.source)
  const there = await targetOfMoment(elsewhere, await elsewhere.database.bookmark())
  await expect(elsewhere.restore(there)).rejects.toThrow(/on elsewhere.*add --take-over/s)
  await elsewhere.restore(there, { takeOver: true })
})

test.each([
  ["cut off", "CREATE TABLE a (id", /begins a statement that never ends/],
  ["something else", "DROP TABLE user;", /line 1 is no part of an export: DROP TABLE user/],
  ["empty", "", /it makes no table/],
  [
    "short of rows",
    '-- accounts backup 1 {"stack":"s","databaseId":"d","bookmark":"b","at":"2026-11-22T10:00:00Z","tables":[{"name":"a","rows":2}]}\nCREATE TABLE a (id);\n',
    /it says 2 rows of a, but has 0/,
  ],
])("a file that is %s is refused before anything stops", async (_what, text, reason) => {
  await using site = await setUp("well")
  const file = join(site.directory, "bad.sql")
  await writeFile(file, text)
  await expect(targetOfFile(site, file)).rejects.toThrow(reason)
})

test.each(["yesterday", "2999-01-01T00:00:00Z"])("no moment is %s", async (to) => {
  await using site = await setUp("well")
  await expect(targetOfMoment(site, to)).rejects.toThrow(/^--to/)
})
