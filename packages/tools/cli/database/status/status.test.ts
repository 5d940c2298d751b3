import { expect, test } from "vitest"

import { startAccount } from "../testing/database-site.ts"
import { describeStatus, readStatus } from "./status.ts"

const underTest = await startAccount()
const { account } = underTest

const user = "CREATE TABLE user (id TEXT PRIMARY KEY);"
const files = { "0000_user.sql": user, "0001_note.sql": "CREATE TABLE note (id TEXT PRIMARY KEY)" }

const here = { stack: "staging", local: true }

test("pending files have their class, and need attention where they take what is there", async () => {
  await using site = await underTest.openSite(files)
  await site.migrate()
  await site.folder.write("0002_gone.sql", "DROP TABLE note")
  const status = await readStatus(site, await site.files())
  expect(status.migrations.map(({ name, state, class: kind }) => [name, state, kind])).toEqual([
    ["0000_user.sql", "applied", "expand"],
    ["0001_note.sql", "applied", "expand"],
    ["0002_gone.sql", "pending", "destructive"],
  ])
  expect(status.attention).toEqual([])
  await account.query(site.databaseId, "INSERT INTO note (id) VALUES ('n')")
  const filled = await readStatus(site, await site.files())
  expect(filled.attention).toEqual([expect.stringMatching(/0002_gone\.sql.*note/s)])
  expect(status.database).toMatchObject({ name: site.worker, bookmark: expect.any(String) })
  expect(status.version).toEqual({ unknown: expect.any(String) })
})

test("what is wrong with the history is said of each file", async () => {
  await using site = await underTest.openSite(files)
  await site.migrate()
  await site.folder.write("0000_user.sql", `${user} `)
  await site.folder.remove("0001_note.sql")
  await account.query(site.databaseId, "INSERT INTO d1_migrations (name) VALUES ('20260101_x.sql')")
  const status = await readStatus(site, await site.files())
  expect(status.migrations.map(({ name, state }) => [name, state])).toEqual([
    ["0000_user.sql", "edited"],
    ["0001_note.sql", "missing"],
    ["20260101_x.sql", "foreign"],
  ])
  expect(status.attention).toHaveLength(3)
  const text = describeStatus(status, here)
  for (const line of status.attention) expect(text).toContain(line)
  expect(text).not.toContain("Nothing needs attention")
})

test("a database that no migration has reached is no error", async () => {
  await using site = await underTest.openSite(files)
  const status = await readStatus(site, await site.files())
  expect(status.migrations.map(({ state }) => state)).toEqual(["pending", "pending"])
  expect(status.attention).toEqual([])
  expect(describeStatus(status, here)).toMatch(
    /2 files to apply: \.\/accounts up -s staging --local$/,
  )
})

test.each([
  ["well", ""],
  ["behind", "needs 0002_c.sql, but the database stands at 0001_b.sql"],
  ["ahead", "was built for 0002_c.sql, the database stands at 0003_d.sql, and what it uses was"],
] as const)("the live version is asked what it needs (%s)", async (behaviour, complaint) => {
  await using site = await underTest.openSite(files)
  await site.migrate()
  const workerId = await account.createWorker(site.worker)
  const version = await account.createVersion(workerId, behaviour)
  await account.deploy(site.worker, { [version]: 100 })
  const status = await readStatus(site, await site.files())
  expect(status.attention).toHaveLength(complaint === "" ? 0 : 1)
  expect(status.attention.join()).toContain(complaint)
})
