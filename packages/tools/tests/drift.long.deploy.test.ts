import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"

import { findLostDatabase } from "../cli/plan/plan.ts"
import { readSteps, type Step } from "../cli/plan/step.ts"
import { doubts } from "../deploy/testing/local-cloudflare.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { openCookieClient } from "./testing/cookie-client.ts"
import { describeProviders } from "./testing/engine/describe-providers.ts"
import { sendRequest } from "./testing/send-request.ts"
import { seal } from "./testing/stacks/stack-key.ts"
import { openStacks, type TestStack, type TestStacks } from "./testing/stacks/test-stacks.ts"
import { openWrangler } from "./testing/wrangler.ts"
import { writeConfig } from "./testing/write-config.ts"

const Log = z.object({ entries: z.array(z.object({ method: z.string(), path: z.string() })) })
const Versions = z.array(z.object({ id: z.string(), number: z.number() }))
const Crons = z.object({ schedules: z.array(z.object({ cron: z.string() })) })
const Health = z.object({ version: z.object({ id: z.string() }) })

await describeProviders(journey)

function journey(provider: string) {
  /** The tests are one journey: each continues with the environment that the previous one left. */
  let checkout: Checkout
  let stacks: TestStacks
  let local: TestStack
  let wrangler: ReturnType<typeof openWrangler>
  let url: string
  let worker: string

  beforeAll(async () => {
    checkout = copyCheckout()
    vi.stubEnv("ACCOUNTS_PROVIDER", provider)
    stacks = await openStacks(checkout)
    local = await stacks.local()
    const { outputs } = await local.up()
    url = String(outputs["url"])
    worker = String(outputs["worker"])
    const database = {
      binding: "DB",
      database_name: worker,
      database_id: outputs["databaseId"],
      migrations_dir: join(checkout.directory, "migrations"),
    }
    wrangler = openWrangler(local.cloudflare, { name: worker, d1_databases: [database] })
  })

  afterAll(async () => {
    await wrangler?.[Symbol.asyncDispose]()
    await stacks?.[Symbol.asyncDispose]()
    await checkout?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  async function served() {
    const { json } = await sendRequest(`${url}/api/health`)
    return Health.parse(json).version.id
  }

  const up = async () => (await local.up()).changes

  /** Requests to the API so far, newest first. */
  async function requests() {
    return Log.parse(await callLocal(local.cloudflare, "/local/log?kind=api&limit=1000")).entries
  }

  test("an up that changes nothing reads what others may have changed, once each", async () => {
    const before = (await requests()).length
    expect(await up()).toEqual({})
    const requestLines = (await requests())
      .slice(before)
      .map(({ method, path }) => `${method} ${path}`)
    const kinds = requestLines.map((request) => request.replace(/accounts\/\w+/, "…"))
    const read = kinds.map((kind) => kind.replace(/^.*\/(?:[0-9a-f-]{32,})?/, ""))
    expect(read.toSorted()).toEqual([
      // The database, the Worker and the domain, by their ids.
      "",
      "",
      "",
      // Read for the version and for the release.
      "deployments",
      "deployments",
      // Which Worker has the host.
      "domains",
      // Whether there is a ledger, and its rows.
      "query",
      "query",
      "schedules",
      "zones",
    ])
  })

  test("a rollback by wrangler shows in a plain preview, and up puts it right", async () => {
    const first = await served()
    checkout.edit("app/worker.ts", (text) => `${text}\nReflect.set(globalThis, "edition", 2)\n`)
    expect(await up()).toEqual({ update: 2 })
    const second = await served()
    expect(second).not.toBe(first)
    await wrangler.run("rollback", first, "--message", "incident", "--yes")
    expect(await served()).toBe(first)

    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 2 })
    expect(text).toMatch(/Version.*\(update\)[^]*~ bundle *: "[0-9a-f]{64}" => "[0-9a-f]{64}"/)
    expect(text).toMatch(/Release.*\(update\)/)
    expect(text).not.toContain("bindings")
    expect(await up()).toEqual({ update: 2 })
    expect([first, second]).not.toContain(await served())
    expect((await local.preview()).changes).toEqual({})
  })

  test("a secret that wrangler put shows by its name, and up removes it", async () => {
    const before = await served()
    const file = join(wrangler.directory, "secrets.json")
    writeFileSync(file, JSON.stringify({ FOREIGN: "by hand" }))
    await wrangler.run("versions", "secret", "bulk", file)
    const [newest] = await versions()
    await wrangler.run("versions", "deploy", `${newest}@100%`, "--yes")
    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 2 })
    expect(text).toMatch(/- FOREIGN: \[?/)
    expect(text).not.toContain("AUTH_SECRET")
    expect(await up()).toEqual({ update: 2 })
    expect([before, newest]).not.toContain(await served())
  })

  test("a value that wrangler gave a secret is drift, and the next up puts the stack's back", async () => {
    const doubt = (these: Partial<typeof doubts>) =>
      callLocal(local.cloudflare, "/local/settings", { doubts: these })
    // Wrangler does not wait for a version that it reads.
    await doubt({ ...doubts, lateReads: 0 })
    const file = join(wrangler.directory, "secrets.json")
    writeFileSync(file, JSON.stringify({ AUTH_SECRET: "by hand, thirty-two characters or more" }))
    const client = openCookieClient(url)
    const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
    expect((await client.post("/api/auth/sign-up/email", ada)).status).toBe(200)
    const isSignedIn = async () => (await client.get("/api/auth/get-session")).json !== null

    expect(await isSignedIn()).toBe(true)
    await wrangler.run("versions", "secret", "bulk", file)
    const [foreign] = await versions()
    await wrangler.run("versions", "deploy", `${foreign}@100%`, "--yes")
    expect(await isSignedIn()).toBe(false)
    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 2 })
    expect(text).toContain("AUTH_SECRET")
    expect(text).not.toContain("by hand")
    expect(await up()).toEqual({ update: 2 })
    expect(await isSignedIn()).toBe(true)
    expect(await up()).toEqual({})
    expect((await versions())[0]).not.toBe(foreign)
    await doubt({})
  })

  async function versions(): Promise<string[]> {
    const list = await wrangler.run("versions", "list", "--json")
    const newestFirst = Versions.parse(JSON.parse(list)).toSorted((a, b) => b.number - a.number)
    return newestFirst.map(({ id }) => id)
  }

  test("a changed secret shows by its name, and nothing else does", async () => {
    const change = (value: string) =>
      writeConfig(local, ["accounts:secrets", "AUTH_SECRET"], seal(value))
    change("the-first-of-two-secrets-0123456789abcdef")
    expect(await up()).toEqual({ update: 2, delete: 1 })
    change("the-second-of-two-secrets-0123456789abcde")
    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 2 })
    const lines = text
      .split("\n")
      .filter((line) => /^\s*[~+-] /.test(line) && !/: \(| to update|\(hidden\)$/.test(line))
    expect(lines.map((line) => line.trim())).toEqual([
      "~ bindings: {",
      "~ AUTH_SECRET: [secret] => [secret]",
      expect.stringMatching(/^~ versionId: /),
    ])
    expect(text).not.toContain("two-secrets")
    expect(await up()).toEqual({ update: 2 })
  })

  test("a rotation by number changes a generated secret and the version that holds it", async () => {
    writeConfig(local, ["accounts:rotations", "SMOKE_KEY"], 1)
    expect(await up()).toEqual({ update: 3 })
    expect(await up()).toEqual({})
  })

  test("a migration that another branch applied is refused by a plain preview", async () => {
    const elsewhere = "CREATE TABLE elsewhere (id TEXT PRIMARY KEY);\n"
    const name = checkout.addMigration("elsewhere", elsewhere)
    await wrangler.run("d1", "migrations", "apply", "DB", "--remote")
    rmSync(join(checkout.directory, "migrations", name))
    await expect(local.preview()).rejects.toThrow(`${name} is recorded as applied but is not among`)
    checkout.addMigration("elsewhere", elsewhere)
    expect(await up()).toEqual({ update: 3 })
  })

  test("what Cloudflare counts by itself is not shown as drift", async () => {
    const noise = (await local.preview()).text
      .split("\n")
      .filter((line) => /fileSize|numTables|references|updatedOn|deployedOn|certId/.test(line))
    expect(noise.length).toBeGreaterThan(3)
    expect(noise.filter((line) => !line.endsWith(" (hidden)"))).toEqual([])
  })

  test("crons that were changed by hand show in a plain preview, and up restores them", async () => {
    const path = `/workers/scripts/${worker}/schedules`
    const declared = await local.account.call("GET", path)
    await local.account.call("PUT", path, [{ cron: "0 0 * * *" }])
    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 1 })
    expect(text).toMatch(/CronTriggers.*\(update\)/)
    expect(text).toContain("0 0 * * *")
    expect(await up()).toEqual({ update: 1 })
    expect(await local.account.call("GET", path)).toMatchObject(Crons.parse(declared))
  })

  test("a setting of the Worker that was changed by hand shows in a plain preview, and up restores it", async () => {
    await local.account.call("PATCH", `/workers/workers/${worker}`, { logpush: true })
    const { changes, text } = await local.preview()
    expect(changes).toEqual({ update: 1 })
    expect(text).toMatch(/~ logpush *: true => false/)
    expect(await up()).toEqual({ update: 1 })
    expect(await local.account.call("GET", `/workers/workers/${worker}`)).toMatchObject({
      logpush: false,
    })
  })

  test("a host that is detached and a database that is gone show as gone, and up makes them again", async () => {
    const [domain] = z
      .array(z.object({ id: z.string() }))
      .parse(await local.account.call("GET", `/workers/domains?service=${worker}`))
    await local.account.call("DELETE", `/workers/domains/${domain?.id}`)
    const detached = await local.preview()
    expect(detached.changes).toEqual({ create: 1 })
    expect(detached.text).toMatch(/WorkersCustomDomain: \(create\)/)
    expect(await up()).toEqual({ create: 1 })

    const [database] = z
      .array(z.object({ uuid: z.string() }))
      .parse(await local.account.call("GET", `/d1/database?name=${worker}`))
    await local.account.call("DELETE", `/d1/database/${database?.uuid}`)
    const { changes, text, events } = await local.preview()
    // As in a permanent environment, where it is protected.
    const protect = ({ after, ...step }: Step) => ({
      ...step,
      after: after && { ...after, protect: true },
    })
    const { steps, ...read } = readSteps(events)
    expect(findLostDatabase({ ...read, steps })).toBeUndefined()
    expect(findLostDatabase({ ...read, steps: steps.map(protect) })).toBe(worker)
    expect(text).toMatch(/D1Database: \(create\)/)
    expect(changes).not.toHaveProperty("replace")
    expect(changes).not.toHaveProperty("delete")
    await up()
    expect((await sendRequest(`${url}/api/health?schema=1`)).status).toBe(200)
  })

  test("a Worker that is gone shows as gone in a plain preview, and up makes it again", async () => {
    await local.account.call("DELETE", `/workers/workers/${worker}`)
    const { changes, text } = await local.preview()
    expect(text).toMatch(/cloudflare:index\/worker:Worker: \(create\)/)
    expect(changes).toMatchObject({ create: expect.any(Number) })
    expect(changes).not.toHaveProperty("replace")
    // Nothing led to the Worker when its first version was released.
    const verified = { update: 1, create: expect.any(Number) }
    expect(await up()).toEqual(verified)
    expect(await served()).toMatch(/^[0-9a-f-]{36}$/)
    expect((await local.preview()).changes).toEqual({})
  })

  test("a Worker that is gone does not stop a destroy", async () => {
    await local.account.call("DELETE", `/workers/workers/${worker}`)
    expect(await local.destroy()).toMatchObject({ delete: expect.any(Number) })
  })
}
