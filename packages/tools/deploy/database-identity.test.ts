import { expect, test } from "vitest"

import { databaseIdentity } from "./database-identity.ts"
import { startProviderUnderTest } from "./testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()
const { accountId } = cloudflare

await account.call("POST", "/d1/database", { name: "in-europe", jurisdiction: "eu" })
await account.call("POST", "/d1/database", { name: "anywhere", primary_location_hint: "weur" })

test.each([
  ["in-europe", {}, "its jurisdiction is eu, which cannot change: set accounts:jurisdiction: eu"],
  ["in-europe", { jurisdiction: "us" }, "set accounts:jurisdiction: eu"],
  ["in-europe", { location: "weur" }, "set accounts:jurisdiction: eu"],
  ["anywhere", { jurisdiction: "eu" }, "remove accounts:jurisdiction"],
])(
  "a database that was imported as %s with %o would be replaced, so preview and up refuse it",
  async (name, changes, reason) => {
    for (const preview of [true, false]) {
      const creation = provider.create(
        "DatabaseIdentity",
        { accountId, name, ...changes },
        { preview },
      )
      await expect(creation).rejects.toThrow(reason)
    }
  },
)

test.each([
  ["in-europe", { jurisdiction: "eu" }],
  ["anywhere", {}],
  ["anywhere", { location: "apac" }],
  ["anywhere-else", { jurisdiction: "us" }],
])("a database that was imported as %s stays with %o", async (name, changes) => {
  const inputs = { accountId, name, ...changes }
  const { outputs } = await provider.create("DatabaseIdentity", inputs)
  expect(outputs).toEqual(inputs)
})

test("a token that may not list databases is told what was not checked", async () => {
  proxy.inject({ method: "GET", path: /d1\/database/, fault: "403 before" })
  await provider.create("DatabaseIdentity", { accountId, name: "in-europe" })
  expect(provider.log.join("\n")).toContain(
    "not checked: the jurisdiction of the database in-europe",
  )
})

test.each(["name", "accountId", "jurisdiction", "location"])(
  "another %s of a database that state has is refused before anything is planned",
  async (key) => {
    const oldInputs = { accountId, name: "in-europe", jurisdiction: "eu", location: "weur" }
    const change = { olds: oldInputs, oldInputs, inputs: { ...oldInputs, [key]: "us" } }
    await expect(provider.diff("DatabaseIdentity", change)).rejects.toThrow(
      new RegExp(`would be replaced by an empty one:\\n {2}accounts:${key} was .* and is us`),
    )
  },
)

const identity = { accountId: "a", name: "accounts-production" }

test.each([
  ["taken away", { jurisdiction: "eu" }, {}, "accounts:jurisdiction was eu and is not set"],
  [
    "another",
    { jurisdiction: "eu" },
    { jurisdiction: "us" },
    "accounts:jurisdiction was eu and is us",
  ],
  [
    "set in place of a location",
    { location: "weur" },
    { jurisdiction: "eu" },
    "accounts:jurisdiction was not set and is eu",
  ],
])(
  "a jurisdiction that is %s is refused before a database is replaced",
  (_how, from, to, expectedReason) => {
    const olds = { ...identity, ...from }
    const inputs = { ...identity, ...to }
    expect(() => databaseIdentity.diff({ olds, oldInputs: olds, inputs })).toThrow(
      `the database accounts-production would be replaced by an empty one:\n  ${expectedReason}\nPut`,
    )
  },
)

test("a database with a jurisdiction has nothing to change", () => {
  const state = { ...identity, jurisdiction: "eu" }
  expect(databaseIdentity.diff({ olds: state, oldInputs: state, inputs: state })).toEqual({})
})
