import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { startAccount } from "../testing/database-site.ts"
import { openRestoreSite } from "../testing/restore-site.ts"
import { restorePointTarget } from "./target.ts"
import { restoreBookmark } from "./time-travel.ts"

const underTest = await startAccount()
const { proxy } = underTest

const path = /time_travel\/restore/

async function setUp() {
  const site = await openRestoreSite(underTest, "well")
  const bookmark = await site.database.bookmark()
  await site.query("DELETE FROM session")
  const before = proxy.seen.length
  const lines: string[] = []
  const options = { say: (line: string) => void lines.push(line), patience: 60_000 }
  return {
    ...site,
    bookmark,
    lines,
    travel: () => restoreBookmark(site, bookmark, options),
    /** How often the restore was sent. */
    sent: () => proxy.seen.slice(before).filter((request) => path.test(request.path)).length,
    sessions: () => site.query("SELECT id FROM session"),
    tables: async () => (await site.database.allObjects()).map(({ name }) => name),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

test.each(["drop after", "500 after", "page after", "torn after"] as const)(
  "a restore whose answer was lost (%s) is not sent again: the database says that it is done",
  async (fault) => {
    await using site = await setUp()
    const tables = await site.tables()
    proxy.inject({ method: "POST", path, fault })
    await site.travel()
    expect(site.sent()).toBe(1)
    expect(await site.sessions()).toHaveLength(1)
    expect(await site.tables()).toEqual(tables)
    expect(site.lines.join()).toMatch(/It is not sent again/)
  },
)

test("a restore says to which moment it has gone back, which on this machine may be an earlier one", async () => {
  await using site = await setUp()
  await site.travel()
  expect(site.lines).toEqual([expect.stringMatching(/^Database restored to \d{4}-\d\d-\d\dT/)])
})

test("a restore that D1 carries out late is waited for", async () => {
  await using site = await setUp()
  proxy.inject({ method: "POST", path, fault: "drop before" })
  const { api, accountId, token } = underTest.cloudflare
  const query = `time_travel/restore?bookmark=${site.bookmark}`
  const late = sleep(1500).then(() =>
    fetch(`${api}/accounts/${accountId}/d1/database/${site.databaseId}/${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    }),
  )
  await site.travel()
  expect((await late).status).toBe(200)
  expect(site.sent()).toBe(1)
  expect(await site.sessions()).toHaveLength(1)
})

test("a restore that never arrives is neither sent again nor undone: traffic stays stopped, and the same command goes on", async () => {
  await using site = await setUp()
  const target = await restorePointTarget(site, site.bookmark)
  proxy.inject({ method: "POST", path, fault: "drop before" })
  const restored = site.restore(target, { patience: 5000 })
  await expect(restored).rejects.toThrow(
    /not known.*Traffic stays stopped\. Run the same command again .*--undo/s,
  )
  expect(site.sent()).toBe(1)
  expect((await site.ask("/api/health")).status).toBe(503)
  await site.restore(target)
  expect(await site.sessions()).toHaveLength(1)
  expect((await site.tables()).join()).not.toContain("accounts_restore")
})

test("a restore that is refused leaves nothing behind", async () => {
  await using site = await setUp()
  const tables = await site.tables()
  proxy.inject({ method: "POST", path, fault: "403 before" })
  await expect(site.travel()).rejects.toThrow("Authentication error")
  expect(await site.tables()).toEqual(tables)
})
