import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { proxy, provider, account, setUpDatabase } = await startProviderUnderTest()

const user = "0000_user.sql"
const clean = "0001_clean.sql"
const declared = "-- accounts:loses user, at most 1 row: nobody was registered in earnest"

test("the bookmark before a file is said and recorded, and leads back to its rows", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query("INSERT INTO user VALUES ('u1')")
  await database.write(clean, `${declared}\nDELETE FROM user;`)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  await provider.update("Migrations", change)
  expect(await database.query("SELECT id FROM user")).toEqual([])

  const said = provider.log.find((line) => line.startsWith(`before ${clean}: bookmark`)) ?? ""
  const [, databaseId, bookmark = ""] = /restore (\S+) --bookmark=(\S+)$/.exec(said) ?? []
  expect(databaseId).toBe(database.databaseId)
  expect(
    await database.query(`SELECT bookmark FROM accounts_migrations WHERE name = '${clean}'`),
  ).toEqual([{ bookmark }])
  await account.call("POST", `/d1/database/${databaseId}/time_travel/restore?bookmark=${bookmark}`)
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
  expect(await database.ledger()).toEqual([{ name: user, digits: 64 }])
})

test("a database from before bookmarks were recorded gets the column", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  await database.query(
    "CREATE TABLE accounts_migrations (name TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL)",
  )
  await provider.create("Migrations", await database.inputs())
  expect(
    await database.query("SELECT name FROM accounts_migrations WHERE bookmark IS NOT NULL"),
  ).toEqual([{ name: user }])
})

test("a sidecar of the former form gets every column, and keeps its rows", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const inputs = await database.inputs()
  await provider.create("Migrations", inputs)
  await database.query(`CREATE TABLE former (name TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL, bookmark TEXT);
    INSERT INTO former SELECT name, sha256, bookmark FROM accounts_migrations;
    DROP TABLE accounts_migrations; ALTER TABLE former RENAME TO accounts_migrations;`)
  await database.write(clean, "ALTER TABLE user ADD COLUMN name TEXT;")
  await provider.create("Migrations", await database.inputs())
  expect(await database.ledger()).toEqual([user, clean].map((name) => ({ name, digits: 64 })))
  expect(await database.query("SELECT name, class FROM accounts_migrations ORDER BY name")).toEqual(
    [
      { name: user, class: null },
      { name: clean, class: "expand" },
    ],
  )
})

test("a database of the commit before is left as it is while nothing is pending", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const inputs = await database.inputs()
  const { outputs: olds } = await provider.create("Migrations", inputs)
  await database.query("ALTER TABLE accounts_migrations DROP COLUMN schema_sum")
  const content = async () => [
    await database.query("SELECT sql FROM sqlite_master ORDER BY name"),
    await database.query("SELECT * FROM accounts_migrations"),
  ]
  const before = await content()
  const diff = await provider.diff("Migrations", { olds, oldInputs: inputs, inputs })
  expect(diff).toMatchObject({ changes: false, paths: [] })
  await provider.create("Migrations", inputs)
  expect(await content()).toEqual(before)
})

test("without a bookmark no file is applied", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  proxy.inject({ method: "GET", path: /time_travel\/bookmark/, fault: "500 before", times: 4 })
  await expect(provider.create("Migrations", await database.inputs())).rejects.toThrow("bookmark")
  expect(await database.tables()).not.toContain("user")
})
