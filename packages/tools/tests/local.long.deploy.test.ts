import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"

import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { commit } from "./testing/commit.ts"
import { describeProviders } from "./testing/engine/describe-providers.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { openStacks, type TestStack, type TestStacks } from "./testing/stacks/test-stacks.ts"

/** A route of the service that fails. */
const failingRoute = `
app.get("/api/broken", () => {
  throw new RangeError("broken on purpose")
})
`

const Health = z.object({
  version: z.object({ id: z.string() }),
  migrations: z.object({ expected: z.string(), found: z.string() }),
})

await describeProviders(journey)

function journey(provider: string) {
  /** The tests are one journey: each continues with the environment that the previous one left. */
  let checkout: Checkout
  let stacks: TestStacks
  let local: TestStack
  let url: string
  /** A migration that a test adds. */
  let note: string

  beforeAll(async () => {
    checkout = copyCheckout()
    vi.stubEnv("ACCOUNTS_PROVIDER", provider)
    stacks = await openStacks(checkout)
    local = await stacks.local()
    expect(local.provider).toBe(provider)
  })

  afterAll(async () => {
    await stacks?.[Symbol.asyncDispose]()
    await checkout?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  const migration = (name: string) => join(checkout.directory, "migrations", name)

  /** Counts of changed resources by operation. */
  const up = async () => (await local.up()).changes

  async function health() {
    const { json, status: code } = await sendRequest(`${url}/api/health?schema=1`)
    return { code, ...Health.parse(json) }
  }

  const served = async () => (await health()).version.id

  test("up creates everything, and the deployed Worker answers with its own version", async () => {
    const { changes, outputs } = await local.up()
    expect(Object.keys(changes)).toEqual(["create"])
    url = String(outputs["url"])
    expect(await health()).toMatchObject({
      code: 200,
      version: { id: outputs["versionId"] },
      migrations: { expected: outputs["migrationsHead"], found: outputs["migrationsHead"] },
    })
  })

  test("a new user signs up, signs in, reads the session and signs out", async () => {
    const password = "correct horse battery"
    const headers = { origin: url }
    const signUp = await sendRequest(`${url}/api/auth/sign-up/email`, {
      headers,
      body: { name: "Ada", email: "ada@example.com", password },
    })
    expect(signUp).toMatchObject({
      status: 200,
      json: { user: { email: "ada@example.com", role: "member" } },
    })
    const signIn = await sendRequest(`${url}/api/auth/sign-in/email`, {
      headers,
      body: { email: "ada@example.com", password },
    })
    expect(signIn.status).toBe(200)
    const cookie = cookieHeader(signIn)
    const session = await sendRequest(`${url}/api/auth/get-session`, { headers: { cookie } })
    expect(session).toMatchObject({ status: 200, json: { user: { email: "ada@example.com" } } })
    const signOut = await sendRequest(`${url}/api/auth/sign-out`, {
      headers: { ...headers, cookie },
      body: {},
    })
    expect(signOut.status).toBe(200)
    const after = await sendRequest(`${url}/api/auth/get-session`, { headers: { cookie } })
    expect(after.json).toBeNull()
  })

  test("a second up changes nothing", async () => {
    expect(await up()).toEqual({})
  })

  test("refresh changes nothing", async () => {
    expect(await local.refresh()).toEqual({})
  })

  test("a clone that has not built the live version refreshes, previews and updates it", async () => {
    const build = join(checkout.directory, ".build")
    rmSync(build, { recursive: true })
    expect(await local.refresh()).toEqual({})
    expect((await local.preview()).changes).toEqual({})
    rmSync(build, { recursive: true })
    checkout.edit("app/worker.ts", (content) => `${content}\nReflect.set(globalThis, "e", 1)\n`)
    expect((await local.preview()).changes).toEqual({ update: 2 })
    expect(await up()).toEqual({ update: 2 })
    expect(readdirSync(build)).not.toEqual([])
  })

  test("a new commit of the same content changes nothing", async () => {
    commit(checkout.directory, "Nothing new")
    expect(await up()).toEqual({})
  })

  test("an edit of the app creates a new version and a release, and nothing else", async () => {
    const before = await served()
    checkout.edit("app/worker.ts", (content) => `${content}${failingRoute}`)
    expect(await up()).toEqual({ update: 2 })
    expect(await served()).not.toBe(before)
  })

  test("an edit that only moves lines changes nothing", async () => {
    checkout.edit("app/worker.ts", (content) => `// A comment.\n${content}`)
    expect(await up()).toEqual({})
  })

  test("a new migration is applied before the version that needs it", async () => {
    note = checkout.addMigration("note", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
    expect(await up()).toEqual({ update: 3 })
    expect(await health()).toMatchObject({ code: 200, migrations: { expected: note, found: note } })
  })

  test("a failing migration names its file and statement and changes nothing; the old version keeps serving", async () => {
    const before = await served()
    const statements = "CREATE TABLE half (id TEXT);\nINSERT INTO nowhere VALUES (1);\n"
    const broken = checkout.addMigration("broken", statements)
    const message = await failure(up())
    expect(message).toContain(broken)
    expect(message).toMatch(/statement 2/)
    expect(message).toMatch(/no such table: nowhere/)
    expect(await health()).toMatchObject({
      code: 200,
      version: { id: before },
      migrations: { expected: note, found: note },
    })
    writeFileSync(migration(broken), "CREATE TABLE half (id TEXT);\n")
    await up()
    expect((await health()).migrations.found).toBe(broken)
  })

  test("an edit of an applied migration is rejected at once", async () => {
    const original = readFileSync(migration(note), "utf8")
    writeFileSync(migration(note), original.replace("note", "notes"))
    expect(await failure(up())).toContain(note)
    writeFileSync(migration(note), original)
    expect(await up()).toEqual({})
  })

  test.each<[string, (worker: string) => string, RegExp]>([
    [
      "throws on start-up",
      (worker) => `${worker}\nthrow new Error("broken on purpose")\n`,
      /broken on purpose/,
    ],
    [
      "fails every request",
      (worker) =>
        worker.replace(
          /fetch: .*\n.*,\n/,
          'fetch: () => new Response("broken", { status: 500 }),\n',
        ),
      /500/,
    ],
    [
      "is healthy but rejects every sign-in",
      (worker) =>
        worker.replace(
          'app.all("/api/auth/*"',
          'app.post("/api/auth/sign-in/*", (context) => fail(context, "NOT_FOUND"))\n$&',
        ),
      /sign-in\/email\S* answered 404 instead of/,
    ],
  ])("a version that %s never serves", async (_how, damage, message) => {
    const before = await served()
    const worker = "app/worker.ts"
    const original = readFileSync(join(checkout.directory, worker), "utf8")
    expect(damage(original)).not.toBe(original)
    checkout.write(worker, damage(original))
    expect(await failure(up())).toMatch(message)
    expect(await served()).toBe(before)
    checkout.write(worker, original)
    // A version that never started is not in the state; any other is replaced again.
    await up()
    expect((await health()).code).toBe(200)
  })

  test("destroy leaves an empty account", async () => {
    await local.destroy()
    expect(await accountContents(local.cloudflare)).toEqual(emptyAccount)
  })
}

/** The error message of a failing operation, with its cause. */
async function failure(operation: Promise<unknown>): Promise<string> {
  const error = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  return `${String(error)}\n${error instanceof Error ? String(error.cause) : ""}`
}
