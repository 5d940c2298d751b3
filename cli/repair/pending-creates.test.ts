import { afterAll, expect, test } from "vitest"

import { createApi } from "../../provider/api.ts"
import { startProviderUnderTest } from "../../provider/testing/provider-under-test.ts"
import { findCreated } from "./pending-creates.ts"

const underTest = await startProviderUnderTest()
const { cloudflare, proxy, account } = underTest
const { accountId } = cloudflare
afterAll(() => underTest[Symbol.asyncDispose]())

const zoneId = "7a6f6e656163636f756e747300000001"
const database = "cloudflare:index/d1Database:D1Database"
const worker = "cloudflare:index/worker:Worker"
const route = "cloudflare:index/workersRoute:WorkersRoute"
const minute = 60_000

/** By a run that saved its state last so many minutes from now. */
function find(type: string, inputs: Record<string, unknown>, minutes = 0) {
  const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause: async () => {} })
  const savedAt = new Date(Date.now() + minutes * minute).toISOString()
  return findCreated({ type, inputs: { accountId, ...inputs } }, { api, savedAt })
}

test("a database without tables and a Worker without a version, as old as the run, are the run's", async () => {
  expect(await find(database, { name: "own" })).toBeUndefined()
  expect(await find(worker, { name: "own" })).toBeUndefined()
  const databaseId = await account.createDatabase("own")
  await account.createDatabase("own-too")
  const workerId = await account.createWorker("own")
  expect(await find(database, { name: "own" })).toEqual({
    id: databaseId,
    importId: `${accountId}/${databaseId}`,
    label: `database own (${databaseId})`,
    name: "own",
    doubt: undefined,
  })
  expect(await find(worker, { name: "own" })).toMatchObject({ id: workerId, doubt: undefined })
  // The request was on its way, or one of the two clocks is slow.
  expect(await find(database, { name: "own" }, -14)).toMatchObject({ doubt: undefined })
  expect(await find(worker, { name: "own" }, 14)).toMatchObject({ doubt: undefined })
})

test.each([-16, 16])(
  "what was created %s minutes from when the run saved its state may be somebody else's",
  async (minutes) => {
    const name = `late${minutes}`
    await account.createDatabase(name)
    await account.createWorker(name)
    const doubt = expect.stringMatching(
      /^it was created at 20\S+, and the run was interrupted after 20\S+$/,
    )
    expect(await find(database, { name }, minutes)).toMatchObject({ doubt })
    expect(await find(worker, { name }, minutes)).toMatchObject({ doubt })
  },
)

test("a database with tables and a Worker with a version are never a creation that was interrupted", async () => {
  const databaseId = await account.createDatabase("used")
  await account.query(databaseId, "CREATE TABLE theirs (id TEXT)")
  const workerId = await account.createWorker("used")
  await account.createVersion(workerId, "well")
  expect(await find(database, { name: "used" })).toMatchObject({
    doubt: "it has tables already, such as theirs",
  })
  expect(await find(worker, { name: "used" })).toMatchObject({
    doubt: "it has a version already",
  })
})

test("a route is the run's only if it leads to its Worker", async () => {
  await account.createWorker("theirs")
  await account.addRoute("theirs", "x.accounts.test/*")
  const inputs = { zoneId, pattern: "x.accounts.test/*" }
  expect(await find(route, { ...inputs, script: "own" })).toBeUndefined()
  expect(await find(route, { ...inputs, script: "theirs" })).toMatchObject({
    importId: expect.stringMatching(new RegExp(`^${zoneId}/.`)),
    doubt: undefined,
  })
})

test.each([
  [database, /d1\/database\?/],
  [database, /\/query$/],
  [worker, /workers\/own$/],
  [worker, /versions/],
])("what cannot be read of a %s (%s) is neither there nor gone", async (type, path) => {
  for (const method of ["GET", "POST"]) {
    proxy.inject({ method, path, fault: "page before", times: 4 })
  }
  await expect(find(type, { name: "own" })).rejects.toThrow("without a readable answer")
})
