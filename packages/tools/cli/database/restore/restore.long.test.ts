import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { Failure } from "../../../base/failure.ts"
import type { Behaviour } from "../../../deploy/testing/account.ts"
import { backUp } from "../backup/backup.ts"
import { startAccount } from "../testing/database-site.ts"
import { openRestoreSite } from "../testing/restore-site.ts"
import { newPlan } from "./maintenance-worker.ts"
import { restore, undoRestore } from "./restore.ts"
import { targetOfFile, restorePointTarget } from "./target.ts"
import { restoreBookmark } from "./time-travel.ts"

const underTest = await startAccount()
const { account } = underTest

function setUp(...behaviours: Behaviour[]) {
  return openRestoreSite(underTest, ...behaviours)
}

test("traffic is stopped with the reason, and comes back with the rows", async () => {
  await using site = await setUp("well")
  const before = await site.contents()
  const bookmark = await site.database.bookmark()
  const now = Date.now()
  await site.query(`DELETE FROM session; INSERT INTO user VALUES ('u3', ${now + 60_000})`)
  const meanwhile: unknown[] = []
  const target = await restorePointTarget(site, bookmark)
  const { undo, versionId } = await site.restore(target, {
    async confirm() {
      const health = await site.ask("/api/health")
      const call = await site.ask("/api/v1/readMember", { origin: "https://app.test" })
      meanwhile.push(health.status, JSON.parse(health.text), call.status, JSON.parse(call.text))
      meanwhile.push(call.headers["retry-after"], call.headers["access-control-allow-origin"])
    },
  })
  const reason = expect.stringMatching(/^The database is being restored since 20/)
  const version = { id: expect.any(String), tag: expect.any(String) }
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

  await site.restore(await restorePointTarget(site, undo))
  expect(await site.query("SELECT id FROM user ORDER BY id")).toHaveLength(3)
})

test("what would be lost is said by table, as far as it is known", async () => {
  await using site = await setUp("well")
  const bookmark = await site.database.bookmark()
  const time = new Date().toISOString()
  await site.query(`INSERT INTO user VALUES ('u3', ${Date.now() + 60_000})`)
  await site.restore(await restorePointTarget(site, time))
  expect(site.told.join()).toMatch(/user +3 rows now, 1 of them made since/)
  expect(site.told.join()).toMatch(/session +1 row now, then is not known/)

  await site.query("DELETE FROM session")
  const output = join(site.directory, "backup.sql")
  await backUp(site, { output, signal: site.options.signal, say: () => {} })
  await site.query("INSERT INTO session VALUES ('s2', 'u1'), ('s3', 'u1')")
  await site.restore(await targetOfFile(site, output))
  expect(site.told.at(-1)).toMatch(/session +2 rows now, 0 then \(2 fewer\)/)
  expect(await site.query("SELECT id FROM session")).toEqual([])
  await restoreBookmark(site, bookmark, site.options)
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
  const target = await restorePointTarget(site, await site.database.bookmark())
  const { versionId } = await site.restore(target)
  expect(versionId).toBe(site.versions[0])
})

test("a version that uses what the restored database lacks is passed over before anything moves", async () => {
  await using site = await setUp()
  const first = await site.release({
    head: "0001_session.sql",
    tables: { user: ["id", "created_at"] },
  })
  const target = await restorePointTarget(site, await site.database.bookmark())
  await site.folder.write("0002_note.sql", "ALTER TABLE user ADD note TEXT;")
  await site.migrate()
  const second = await site.release({
    head: "0002_note.sql",
    tables: { user: ["id", "created_at", "note"] },
  })
  const { versionId } = await site.restore(target)
  expect(versionId).toBe(first)
  expect(site.said).toContainEqual(
    expect.stringMatching(
      `^passed over: version ${second} does not fit .*built for 0002_note\\.sql`,
    ),
  )
  const moved = (await account.deployments(site.worker)).slice(0, -2)
  expect(moved.filter(({ shares }) => second in shares)).toEqual([])

  await site.query("ALTER TABLE user RENAME COLUMN id TO key")
  const now = await restorePointTarget(site, await site.database.bookmark())
  const refused = site.restore(now)
  await expect(refused).rejects.toThrow(`version ${first} does not fit the schema: it uses user.id`)
  await expect(refused).rejects.toThrow(
    /deploy .* from a commit whose newest migration is 0001_session\.sql or a later one/,
  )
  expect((await site.ask("/api/health")).status).toBe(503)
})

test("traffic stays stopped where no version fits", async () => {
  await using site = await setUp("behind")
  const target = await restorePointTarget(site, await site.database.bookmark())
  await expect(site.restore(target)).rejects.toThrow(
    /stands at 0001_session\.sql, and no version that served before fits it/,
  )
  expect((await site.ask("/api/health")).status).toBe(503)
})

test("an operator who declines gets the traffic back, and nothing is changed", async () => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  await site.query("DELETE FROM session")
  const confirm = () => Promise.reject(new Failure("COMMAND_FAILED", "Nothing was changed."))
  await expect(site.restore(target, { confirm })).rejects.toThrow("Nothing was changed.")
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
  expect(await site.query("SELECT id FROM session")).toEqual([])
})

test("the version that answers 503 is deployed once Cloudflare returns it", async () => {
  await using site = await setUp("well")
  const before = underTest.proxy.seen.length
  await site.restore(await restorePointTarget(site, await site.database.bookmark()))
  const requests = underTest.proxy.seen.slice(before)
  const deployed = requests.findIndex(
    ({ method, path }) => method === "POST" && path.endsWith("/deployments"),
  )
  const [, id = ""] = /"version_id":"([^"]+)"/.exec(requests[deployed]?.body ?? "") ?? []
  const reads = requests.slice(0, deployed).filter(({ path }) => path.endsWith(`/versions/${id}`))
  // The first one finds nothing yet.
  expect(reads).toHaveLength(2)
})

test("behind a rule the traffic is seen to stop with the headers of a trial, and else not", async () => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  const { host } = new URL(site.address.url)
  const except = { header: "x-trial", value: "let me in" }
  await underTest.setConditions({ firewallRules: [{ host, path: "/*", except }] })
  await using _ = { [Symbol.asyncDispose]: () => underTest.setConditions({ firewallRules: [] }) }
  await expect(site.restore(target, { patience: 1000 })).rejects.toThrow(
    /could not be stopped: .*a WAF rule of the zone refused this client.*accounts:trialHeaders/s,
  )
  const address = { ...site.address, headers: { [except.header]: except.value } }
  const { versionId } = await restore({ ...site, address }, target, site.options)
  expect(versionId).toBe(site.versions[0])
})

test.each([
  ["before anything is restored", 1],
  ["right before the restore", 2],
])("a hold on the stack that is lost %s changes no row", async (_when, call) => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  await site.query("DELETE FROM session")
  const before = await site.contents()
  let calls = 0
  const expectHeld = () => {
    calls += 1
    if (calls >= call) throw new Failure("LOCKED", "no longer held")
  }
  const restored = site.restore(target, { hold: { expect: expectHeld } })
  await expect(restored).rejects.toThrow("no longer held")
  expect(await site.contents()).toEqual(before)
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
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
    const target = await restorePointTarget(site, await site.database.bookmark())
    await site.query("DELETE FROM session")
    const undo = await site.database.bookmark()
    await site.killed({ undo }, target.source)
    if (when === "after it") await restoreBookmark(site, undo, site.options)
    const otherTarget = await restorePointTarget(site, undo)
    await expect(site.restore(otherTarget)).rejects.toThrow(/was interrupted\. Give the same again/)
    const restored = await site.restore(target)
    expect(restored.undo).toBe(undo)
    expect(await site.contents()).toEqual(before)
    expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
  },
)

test("a run that was killed is undone", async () => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  await site.query("DELETE FROM session")
  const changed = await site.contents()
  await site.killed({ undo: await site.database.bookmark() }, target.source)
  const { source } = target
  await restoreBookmark(site, source.kind === "bookmark" ? source.bookmark : "", site.options)
  expect(await undoRestore(site, site.options)).toBe(site.versions[0])
  expect(await site.contents()).toEqual(changed)
})

test("a run that was killed before it restored anything starts over, to anywhere", async () => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  await site.killed({}, { kind: "bookmark", bookmark: "another" })
  await site.restore(target)
  expect(await site.live()).toEqual({ [site.versions[0] ?? ""]: 100 })
})

test("two restores at once are refused, and one on another machine is named", async () => {
  await using site = await setUp("well")
  const target = await restorePointTarget(site, await site.database.bookmark())
  const { holder } = newPlan(site.databaseId, { source: target.source, before: [] })
  await site.killed({ holder: { ...holder, pid: process.ppid } }, target.source)
  await expect(site.restore(target)).rejects.toThrow(/A restore is running: process/)
  await using elsewhere = await setUp("well")
  await elsewhere.killed({ holder: { ...holder, host: "elsewhere" } }, target.source)
  const currentTarget = await restorePointTarget(elsewhere, await elsewhere.database.bookmark())
  await expect(elsewhere.restore(currentTarget)).rejects.toThrow(/on elsewhere.*add --take-over/s)
  await elsewhere.restore(currentTarget, { takeOver: true })
})
