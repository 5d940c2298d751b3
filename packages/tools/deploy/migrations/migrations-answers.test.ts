import { expect, test } from "vitest"

import type { Fault } from "../testing/fault-proxy.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { proxy, provider, setUpDatabase } = await startProviderUnderTest()

const user = "0000_user.sql"
const session = "0001_session.sql"
/** Run twice, it fails; run half, it leaves a table without its row. */
const createUser = "CREATE TABLE user (id TEXT PRIMARY KEY);\nINSERT INTO user (id) VALUES ('u1');"
const addUser = "INSERT INTO user (id) SELECT 'copy of ' || id FROM user;"

/** Of which none says whether the request took effect. */
const unclear = ["page", "cut", "torn", "empty", "drop", "500", "false"] as const

const faults = unclear.flatMap((answer): Fault[] => [`${answer} before`, `${answer} after`])

test("a file whose answer is unclear has run once, or not at all, and the next run goes on from there", async () => {
  await Promise.all(
    faults.map(async (fault) => {
      await using database = await setUpDatabase({ [user]: createUser })
      const oldInputs = await database.inputs()
      const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
      await database.write(session, addUser)
      database.fail(session, fault)
      const change = { id, olds, oldInputs, inputs: await database.inputs() }
      const first = await provider.update("Migrations", change).then(
        () => "applied",
        (error: Error) => error.message,
      )
      const ran = fault.endsWith("after")
      const refused = /was not applied: .*The ledger does not have it.*Run again\./
      expect(first, fault).toMatch(ran ? /^applied$/ : refused)
      expect(await provider.update("Migrations", change), fault).toMatchObject({ head: session })
      expect(database.sent(session), fault).toHaveLength(ran ? 1 : 2)
      const users = await database.query("SELECT id FROM user ORDER BY id")
      expect(users, fault).toEqual([{ id: "copy of u1" }, { id: "u1" }])
    }),
  )
})

test("a trial whose answer is unclear proves nothing, whether it ran or not", async () => {
  await Promise.all(
    faults.map(async (fault) => {
      await using database = await setUpDatabase({ [user]: createUser })
      database.failTrial(fault)
      const inputs = await database.inputs()
      await expect(provider.create("Migrations", inputs), fault).rejects.toThrow(
        /did not answer a harmless trial request: .* No migration was applied\. Run again\./,
      )
      expect(await database.tables(), fault).not.toMatch(/"user"|probe/)
      expect(await provider.create("Migrations", inputs), fault).toMatchObject({
        outputs: { head: user },
      })
    }),
  )
})

const steps = [
  /SELECT type, name, sql/,
  /CREATE TABLE IF NOT EXISTS/,
  /pragma_table_info/,
  /CREATE TABLE d1_migrations_atomicity/,
  /VALUES \('0000_user\.sql'\)/,
  /FROM \W+d1_migrations\W+ ORDER BY id/,
]

test("a rate limit at any step is waited for, and the file runs once", async () => {
  await Promise.all(
    steps.map(async (body) => {
      await using database = await setUpDatabase({ [user]: createUser })
      const path = new RegExp(`${database.databaseId}/query`)
      const fault = "429 before"
      using _limited = proxy.injectAll([{ method: "POST", path, body, fault, times: 2 }])
      const { outputs } = await provider.create("Migrations", await database.inputs())
      expect(outputs).toMatchObject({ head: user })
      const limited = proxy.seen.filter(
        (request) => path.test(request.path) && request.fault === fault,
      )
      expect(limited, String(body)).toHaveLength(2)
      expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
    }),
  )
})

test("a rate limit of an hour is said, and nothing was applied", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const path = new RegExp(`${database.databaseId}/query`)
  using _limited = proxy.injectAll([
    { method: "POST", path, body: /VALUES \('0000_user\.sql'\)/, fault: "limit before" },
  ])
  await expect(provider.create("Migrations", await database.inputs())).rejects.toThrow(
    /429 .*The rate limit lasts 3600 s more.*wait, and run again/,
  )
  expect(await database.tables()).not.toContain('"user"')
})
