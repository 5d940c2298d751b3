import { expect, test } from "vitest"

import { createCookieJar } from "../../../app/testing/cookie-jar.ts"
import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { setUpService } from "../deploy/testing/service-under-test.ts"
import { sendRequest } from "./testing/send-request.ts"

const password = "correct horse battery"
const lagging = { replicaLagMs: 600_000 }

/** The service with a database whose copy stays as it is at the first read, and a member. */
async function setUp() {
  const cloudflare = await startLocalCloudflare()
  const account = openAccount(cloudflare)
  const service = await setUpService(account, "replicated")
  const replication = { read_replication: { mode: "auto" } }
  await account.call("PATCH", `/d1/database/${service.databaseId}`, replication)
  const version = await service.createVersion(undefined, { READ_REPLICATION: "auto" })
  await account.deploy("replicated", { [version]: 100 })
  const email = "ada@example.com"

  /** A browser that keeps cookies, or only its session. */
  const openBrowser = ({ keepsBookmark = true } = {}) => {
    const jar = createCookieJar()
    const send = async (path: string, body?: unknown) => {
      const answer = await sendRequest(`${service.url}/api${path}`, {
        connectTo: cloudflare.edge,
        headers: { origin: service.url, ...jar.header() },
        ...(body !== undefined && { body }),
      })
      const lines = answer.headers["set-cookie"] ?? []
      jar.keep(lines.filter((line) => keepsBookmark || !/^[^=]+\.bookmark=/.test(line)))
      return answer
    }
    return {
      send,
      join: () => send("/auth/sign-up/email", { name: "Ada", email, password }),
      signIn: () => send("/auth/sign-in/email", { email, password }),
      write: (text: string) => send("/v1/createEntry", { mood: "good", text }),
      /** How many entries the journal shows, or the status. */
      read: async () => {
        const { status, json } = await send("/v1/listEntries")
        return status === 200 ? Object.assign({ items: [] }, json).items.length : status
      },
    }
  }
  return {
    openBrowser,
    lag: () => cloudflare.local("/local/settings", lagging),
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}

test("a member reads what they wrote from a database whose copies lag, and without bookmark what was", async () => {
  await using set = await setUp()
  const own = set.openBrowser()
  expect((await own.join()).status).toBe(200)
  const forgetful = set.openBrowser({ keepsBookmark: false })
  expect((await forgetful.signIn()).status).toBe(200)
  await set.lag()
  expect([await own.read(), await forgetful.read()]).toEqual([0, 0])
  expect((await own.write("Seen at once.")).status).toBe(200)
  expect([await own.read(), await forgetful.read()]).toEqual([1, 0])

  // A session that no copy knows yet.
  const late = set.openBrowser({ keepsBookmark: false })
  await late.signIn()
  expect(await late.read()).toBe(1)
})

test("a session that has ended reads at most what copies still have, and nothing else", async () => {
  await using set = await setUp()
  const [thief, owner] = [set.openBrowser(), set.openBrowser()]
  await thief.join()
  await owner.signIn()
  await set.lag()
  expect(await thief.read()).toBe(0)
  expect((await owner.send("/auth/revoke-other-sessions", {})).status).toBe(200)
  await owner.write("After the end of the other session.")
  expect(await thief.read()).toBe(0)

  expect((await thief.send("/auth/get-session")).json).toBeNull()
  for (const path of ["getProfile", "exportData", "listSecurityEvents"]) {
    expect((await thief.send(`/v1/${path}`)).status).toBe(401)
  }
  expect((await thief.write("No more.")).status).toBe(401)
  // Whoever has seen the end of a session in the same browser is out everywhere.
  expect(await thief.read()).toBe(401)
})
