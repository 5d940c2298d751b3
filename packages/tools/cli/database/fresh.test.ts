import { expect, test } from "vitest"

import { emptyDatabase } from "./fresh.ts"
import { restoreBookmark } from "./restore/time-travel.ts"
import { startAccount } from "./testing/database-site.ts"

const underTest = await startAccount()

/** Tables that reference each other, rows that may not be deleted, and objects beside the tables. */
const files = {
  "0000_all.sql": `
CREATE TABLE user (id TEXT PRIMARY KEY, team TEXT REFERENCES team(id) ON DELETE RESTRICT);
CREATE TABLE team (id TEXT PRIMARY KEY, owner TEXT REFERENCES user(id) ON DELETE RESTRICT);
CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE VIEW owners AS SELECT owner FROM team;
CREATE TRIGGER kept BEFORE DELETE ON user BEGIN SELECT RAISE(ABORT, 'users are kept'); END;
INSERT INTO "odd ""name" VALUES (NULL);`,
}

const rows = `PRAGMA defer_foreign_keys = on;
INSERT INTO user VALUES ('u1', 't1'); INSERT INTO team VALUES ('t1', 'u1');`

async function setUp() {
  const site = await underTest.openSite(files)
  await site.migrate()
  await underTest.account.query(site.databaseId, rows)
  const { stack, api, accountId } = site
  const users = () => underTest.account.query(site.databaseId, "SELECT id FROM user")
  return {
    ...site,
    users,
    empty: (environment: "preview" | "staging" | "production") =>
      emptyDatabase({ stack, api, accountId, name: site.worker, environment }),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

test("a fresh database keeps no earlier object, and takes an edited migration", async () => {
  await using site = await setUp()
  const wayBack = await site.empty("preview")
  expect(await site.database.allObjects()).toEqual([])
  await site.folder.write("0000_all.sql", "CREATE TABLE user (id TEXT PRIMARY KEY)")
  await site.migrate()
  expect(await site.users()).toEqual([])
  expect((await site.database.applied()).map(({ name }) => name)).toEqual(["0000_all.sql"])

  const [, bookmark = ""] = /--bookmark=(\S+)$/.exec(wayBack ?? "") ?? []
  await restoreBookmark(site, bookmark, { patience: 60_000, say: () => {} })
  expect(await site.users()).toEqual([{ id: "u1" }])
})

test("an empty database is left as it is, and a missing one too", async () => {
  await using site = await setUp()
  await site.empty("preview")
  expect(await site.empty("preview")).toBeUndefined()
  const { stack, api, accountId } = site
  const missing = { stack, api, accountId, name: "nobody", environment: "preview" as const }
  expect(await emptyDatabase(missing)).toBeUndefined()
})

test.each(["staging", "production"] as const)(
  "the database of %s is never emptied",
  async (kind) => {
    await using site = await setUp()
    const before = underTest.proxy.seen.length
    await expect(site.empty(kind)).rejects.toThrow(
      "is a permanent environment: its database is never",
    )
    expect(underTest.proxy.seen).toHaveLength(before)
    expect(await site.users()).toHaveLength(1)
  },
)
