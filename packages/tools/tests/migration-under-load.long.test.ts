import { createHmac, randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

import { migrationsDirectory } from "../base/root.ts"
import { openConnection } from "../deploy/release/service-request.ts"
import { createMigrationFolder } from "../deploy/testing/migration-folder.ts"
import { startProviderUnderTest } from "../deploy/testing/provider-under-test.ts"
import { setUpService, smokeKey } from "../deploy/testing/service-under-test.ts"
import { readMigrations } from "../environment/own-names.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

const clients = 4
/** Answers before, during and after each change. */
const enough = 40
/** Milliseconds; only a broken machine takes so long for one request. */
const timeout = 60_000

const expanding = `ALTER TABLE user ADD COLUMN nickname TEXT;
UPDATE user SET nickname = name;
CREATE INDEX user_nickname ON user (nickname);
CREATE TABLE former_nickname (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE);
INSERT INTO former_nickname (id, user_id) SELECT 'n_' || id, id FROM user;`

/** The service with one live version, a member who is signed in, and one migration more. */
async function setUp(scriptName: string, sql: string) {
  const service = await setUpService(account, scriptName)
  const first = await service.createVersion()
  await account.deploy(scriptName, { [first]: 100 })
  const address = { url: service.url, connectTo: cloudflare.edge }
  const cookie = await signUp(address)

  const applied = await readMigrations(migrationsDirectory)
  const next = `${String(applied.length).padStart(4, "0")}_next.sql`
  const texts = applied.map(
    async ({ name }) => [name, await readFile(join(migrationsDirectory, name), "utf8")] as const,
  )
  const files = { ...Object.fromEntries(await Promise.all(texts)), [next]: sql }
  const folder = await createMigrationFolder(files)
  return {
    service,
    first,
    next,
    address,
    load: () => startLoad(address, cookie),
    migrate: async () => {
      const { accountId } = cloudflare
      const { databaseId } = service
      // The real versions of the test carry no record; what they use is known here.
      const inputs = { accountId, databaseId, scriptName, protectLive: false }
      return provider.create("Migrations", { ...inputs, ...(await folder.declared()) })
    },
    /** Does something right before the request that carries the file is let through. */
    beforeFile: (act: () => Promise<void>) =>
      proxy.inject({
        method: "POST",
        path: new RegExp(`${service.databaseId}/query`),
        body: new RegExp(`VALUES \\('${next}'\\)`),
        first: act,
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

type Address = { url: string; connectTo: string }

async function signUp(address: Address): Promise<string> {
  const connection = openConnection(address)
  const email = `smoke-${Math.floor(Date.now() / 1000) + 600}-${randomBytes(8).toString("hex")}@accounts.invalid`
  const code = createHmac("sha256", smokeKey).update(email).digest("hex")
  const credentials = { email, password: "a-password-for-the-load" }
  const post = async (path: string, body: object) => {
    const headers = { origin: address.url, "accounts-smoke-code": code }
    const answer = await connection.send({ path: `/api/auth/${path}`, headers, body, timeout })
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)])
    return answer
  }
  await post("sign-up/email", { name: "Load", ...credentials })
  const { cookies } = await post("sign-in/email", credentials)
  connection.close()
  return cookies.map((text) => text.split(";")[0]).join("; ")
}

/** Reads and writes as a signed-in member, without a pause, until it is stopped. */
function startLoad(address: Address, cookie: string) {
  const answers: { status: number; versionId: string | undefined; text: string }[] = []
  const stopping = new AbortController()
  const run = async (client: number) => {
    const connection = openConnection(address)
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      const name = `Load ${client}.${number}`
      const request =
        number % 2 === 0
          ? { path: "/api/v1/getProfile", headers: { cookie } }
          : {
              path: "/api/v1/updateProfile",
              headers: { cookie, origin: address.url },
              body: { name },
            }
      const { status, versionId, text } = await connection
        .send({ ...request, timeout })
        .catch((error: unknown) => ({ status: 0, versionId: undefined, text: String(error) }))
      answers.push({ status, versionId, text })
    }
    connection.close()
  }
  const finished = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    answers,
    failures: () => answers.filter(({ status }) => status !== 200),
    /** Waits for as many more answers. */
    async more(count = enough) {
      const { length } = answers
      await expect
        .poll(() => answers.length, { timeout: 300_000 })
        .toBeGreaterThanOrEqual(length + count)
    },
    async stop() {
      stopping.abort()
      await finished
    },
  }
}

test("a migration that expands, and the release after it, fail no request of those under way", async () => {
  await using changing = await setUp("expanding", expanding)
  const { service, first, next, address } = changing
  const load = changing.load()
  await load.more()
  changing.beforeFile(() => load.more())
  const { outputs } = await changing.migrate()
  expect(outputs).toMatchObject({ head: next })
  await load.more()
  expect(load.failures()).toEqual([])
  expect(new Set(load.answers.map(({ versionId }) => versionId))).toEqual(new Set([first]))
  expect(await service.query("SELECT count(*) AS named FROM user WHERE nickname IS NULL")).toEqual([
    { named: 0 },
  ])

  const second = await service.createVersion((text) => `${text}\n// another`)
  const inputs = {
    accountId: cloudflare.accountId,
    scriptName: "expanding",
    versionId: second,
    ...address,
    steps: [50, 100],
    smoke: { key: smokeKey, origin: service.url },
  }
  await provider.create("Release", inputs, { timeout: 300 })
  await load.more()
  await load.stop()
  expect(load.failures()).toEqual([])
  expect(new Set(load.answers.map(({ versionId }) => versionId))).toEqual(new Set([first, second]))
  expect(load.answers.at(-1)?.versionId).toBe(second)
})

test("the same load does fail when a column goes that the live version uses", async () => {
  await using changing = await setUp(
    "contracting",
    "-- accounts:loses user.image: images are not shown\nALTER TABLE user DROP COLUMN image;",
  )
  const load = changing.load()
  await load.more()
  expect(load.failures()).toEqual([])
  await changing.migrate()
  await load.more()
  await load.stop()
  expect(load.failures().length).toBeGreaterThan(0)
})
