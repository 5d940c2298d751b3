import { expect, test } from "vitest"
import * as z from "zod"

import { createApi } from "../../deploy/api.ts"
import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import { findDatabase } from "../database/d1-account.ts"
import { findOwnershipDoubt } from "./unmanaged-resources.ts"
import { findWorker } from "./unmanaged-resources.ts"

const { cloudflare, proxy, account } = await startProviderUnderTest()
const { accountId } = cloudflare

const minute = 60_000

/** Doubt about a resource, by a run that last saved its state so many minutes from now. */
async function doubt(kind: "database" | "Worker", name: string, minutes = 0) {
  const api = createApi({ baseUrl: proxy.url, token: cloudflare.token, pause: async () => {} })
  const options = { api, accountId }
  const resource =
    kind === "database" ? await findDatabase(options, name) : await findWorker(options, name)
  const { uuid: id, created_at: created } = Database.parse(resource)
  const savedAt = new Date(Date.now() + minutes * minute).toISOString()
  return await findOwnershipDoubt(
    { kind, id, created, label: name, path: "" },
    { ...options, savedAt },
  )
}

/** A database, or a Worker in the same words. */
const Database = z.preprocess(
  (resource) => ({
    uuid: Object(resource).id,
    created_at: Object(resource).created_on,
    ...Object(resource),
  }),
  z.object({ uuid: z.string(), created_at: z.string() }),
)

test("a database without tables and a Worker without a version, as old as the run, are the run's", async () => {
  await account.createDatabase("own")
  await account.createDatabase("own-too")
  await account.createWorker("own")
  expect(await doubt("database", "own")).toBeUndefined()
  expect(await doubt("Worker", "own")).toBeUndefined()
  // The request was on its way, or one of the two clocks is slow.
  expect(await doubt("database", "own", -14)).toBeUndefined()
  expect(await doubt("Worker", "own", 14)).toBeUndefined()
})

test.each([-16, 16])(
  "what was created %s minutes from when the run saved its state may belong to someone else",
  async (minutes) => {
    const name = `late${minutes}`
    await account.createDatabase(name)
    await account.createWorker(name)
    const times = /^it was created at 20\S+, and the stack was deployed at 20\S+$/
    expect(await doubt("database", name, minutes)).toMatch(times)
    expect(await doubt("Worker", name, minutes)).toMatch(times)
  },
)

test("a database with tables and a Worker with a version are never a creation that was interrupted", async () => {
  const databaseId = await account.createDatabase("used")
  await account.query(databaseId, "CREATE TABLE theirs (id TEXT)")
  const workerId = await account.createWorker("used")
  await account.createVersion(workerId, "well")
  expect(await doubt("database", "used")).toBe("it has tables already, such as theirs")
  expect(await doubt("Worker", "used")).toBe("it has a version already")
})

test.each([
  ["database", /\/query$/],
  ["Worker", /versions/],
] as const)("a %s whose content (%s) cannot be read has no owner yet", async (kind, path) => {
  for (const method of ["GET", "POST"]) {
    proxy.inject({ method, path, fault: "page before", times: 4 })
  }
  await expect(doubt(kind, "own")).rejects.toThrow("without a readable answer")
})
