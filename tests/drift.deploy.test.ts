import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { callLocal } from "@accounts/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"

import type { LocalStack } from "../cli/stack/local-stack.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { findProviderCandidates } from "./testing/engine/provider-candidates.ts"
import { sendRequest } from "./testing/send-request.ts"
import { seal } from "./testing/stacks/stack-key.ts"
import { openWrangler } from "./testing/wrangler.ts"
import { writeConfig } from "./testing/write-config.ts"

const Log = z.object({ entries: z.array(z.object({ method: z.string(), path: z.string() })) })
const Health = z.object({ version: z.object({ id: z.string() }) })

const [available, unavailable] = await findProviderCandidates()
describe.each(available)("$title", ({ provider }) => {
  journey(provider)
})
// oxlint-disable-next-line vitest/no-disabled-tests -- its title says why it cannot run here
describe.skip.each(unavailable)("$title", ({ provider }) => {
  journey(provider)
})

function journey(provider: string) {
  /** One journey: each test continues with the environment that the previous one left. */
  let checkout: Checkout
  let local: LocalStack
  let wrangler: ReturnType<typeof openWrangler>
  let stack: typeof import("../cli/stack/stack.ts")
  let url: string
  let worker: string

  beforeAll(async () => {
    checkout = copyCheckout()
    const stacks = join(checkout.directory, "cli/stack")
    const { openLocalStack } = await import(join(stacks, "local-stack.ts"))
    stack = await import(join(stacks, "stack.ts"))
    vi.stubEnv("ACCOUNTS_PROVIDER", provider)
    local = await openLocalStack({ state: checkout.state, apiPort: 0, port: 0, engine: undefined })
    const { outputs } = await stack.up(local.stack)
    url = String(outputs["url"])
    worker = String(outputs["worker"])
    wrangler = openWrangler(local.cloudflare, {
      name: worker,
      d1_databases: [
        {
          binding: "DB",
          database_name: worker,
          database_id: outputs["databaseId"],
          migrations_dir: join(checkout.directory, "migrations"),
        },
      ],
    })
  })

  afterAll(async () => {
    await wrangler?.[Symbol.asyncDispose]()
    await local?.[Symbol.asyncDispose]()
    await checkout?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  async function served() {
    const { json } = await sendRequest(`${url}/api/health`)
    return Health.parse(json).version.id
  }

  /** Counts of changed resources by operation, and the text that a reviewer reads. */
  async function preview() {
    const { changeSummary, stdout } = await local.stack.preview({ diff: true })
    const { same: _, ...changes } = changeSummary
    return { changes, text: stdout }
  }

  async function up() {
    const { same: _, ...changes } = (await stack.up(local.stack)).changes
    return changes
  }

  /** Requests to the API so far, newest first. */
  async function requests() {
    return Log.parse(await callLocal(local.cloudflare, "/local/log?kind=api&limit=1000")).entries
  }

  test("an up that changes nothing reads what others may have changed, once each", async () => {
    const before = (await requests()).length
    expect(await up()).toEqual({})
    const made = (await requests()).slice(before).map(({ method, path }) => `${method} ${path}`)
    const kinds = made.map((request) => request.replace(/accounts\/\w+/, "…"))
    const read = kinds.map((kind) => kind.replace(/^.*\/(?:[0-9a-f-]{32,})?/, ""))
    expect(read.toSorted()).toEqual([
      // Of the database, the Worker and the domain, by their ids.
      "",
      "",
      "",
      // For the version and for the release.
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

    const { changes, text } = await preview()
    expect(changes).toEqual({ update: 2 })
    expect(text).toMatch(/Version.*\(update\)[^]*~ bundle *: "[0-9a-f]{64}" => "[0-9a-f]{64}"/)
    expect(text).toMatch(/Release.*\(update\)/)
    expect(text).not.toContain("bindings")
    expect(await up()).toEqual({ update: 2 })
    expect([first, second]).not.toContain(await served())
    expect((await preview()).changes).toEqual({})
  })

  test("a secret that wrangler put shows by its name, and up removes it", async () => {
    const before = await served()
    const file = join(wrangler.directory, "secrets.json")
    writeFileSync(file, JSON.stringify({ FOREIGN: "by hand" }))
    await wrangler.run("versions", "secret", "bulk", file)
    const [newest] = await versions()
    await wrangler.run("versions", "deploy", `${newest}@100%`, "--yes")
    const { changes, text } = await preview()
    expect(changes).toEqual({ update: 2 })
    expect(text).toMatch(/- FOREIGN: \[?/)
    expect(text).not.toContain("AUTH_SECRET")
    expect(await up()).toEqual({ update: 2 })
    expect([before, newest]).not.toContain(await served())
    expect((await preview()).changes).toEqual({})
  })

  async function versions(): Promise<string[]> {
    const list = await wrangler.run("versions", "list", "--json")
    const Version = z.object({ id: z.string(), number: z.number() })
    return z
      .array(Version)
      .parse(JSON.parse(list))
      .toSorted((one, other) => other.number - one.number)
      .map(({ id }) => id)
  }

  test("a changed secret shows by its name, and nothing else does", async () => {
    const change = (value: string) =>
      writeConfig(local, ["accounts:secrets", "AUTH_SECRET"], seal(value))
    change("the-first-of-two-secrets-0123456789abcdef")
    expect(await up()).toEqual({ update: 2, delete: 1 })
    change("the-second-of-two-secrets-0123456789abcde")
    const { changes, text } = await preview()
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
    const files = readdirSync(join(checkout.directory, "migrations"))
    const number = String(files.filter((file) => file.endsWith(".sql")).length).padStart(4, "0")
    const name = `${number}_elsewhere.sql`
    const file = join(checkout.directory, "migrations", name)
    writeFileSync(file, "CREATE TABLE elsewhere (id TEXT PRIMARY KEY);\n")
    await wrangler.run("d1", "migrations", "apply", "DB", "--remote")
    rmSync(file)
    await expect(preview()).rejects.toThrow(`${name} is recorded as applied but is not among`)
    writeFileSync(file, "CREATE TABLE elsewhere (id TEXT PRIMARY KEY);\n")
    expect(await up()).toEqual({ update: 3 })
    expect((await preview()).changes).toEqual({})
  })

  test("what Cloudflare counts by itself is not shown as drift", async () => {
    const { stdout } = await local.stack.preview({ diff: true })
    const noise = stdout
      .split("\n")
      .filter((line) => /fileSize|numTables|references|updatedOn|deployedOn|certId/.test(line))
    expect(noise.length).toBeGreaterThan(3)
    expect(noise.filter((line) => !line.endsWith(" (hidden)"))).toEqual([])
  })

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { api, token, accountId } = local.cloudflare
    const answer = await fetch(`${api}/accounts/${accountId}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const Answer = z.object({ success: z.literal(true), result: z.unknown().optional() })
    return Answer.parse(await answer.json()).result
  }

  test("crons that somebody changed show in a plain preview, and up puts them right", async () => {
    const path = `/workers/scripts/${worker}/schedules`
    const declared = await call("GET", path)
    await call("PUT", path, [{ cron: "0 0 * * *" }])
    const { changes, text } = await preview()
    expect(changes).toEqual({ update: 1 })
    expect(text).toMatch(/CronTriggers.*\(update\)/)
    expect(text).toContain("0 0 * * *")
    expect(await up()).toEqual({ update: 1 })
    expect(await call("GET", path)).toMatchObject({
      schedules: z.object({ schedules: z.array(z.object({ cron: z.string() })) }).parse(declared)
        .schedules,
    })
  })

  test("a setting of the Worker that somebody changed shows in a plain preview, and up puts it right", async () => {
    await call("PATCH", `/workers/workers/${worker}`, { logpush: true })
    const { changes, text } = await preview()
    expect(changes).toEqual({ update: 1 })
    expect(text).toMatch(/~ logpush *: true => false/)
    expect(await up()).toEqual({ update: 1 })
    expect(await call("GET", `/workers/workers/${worker}`)).toMatchObject({ logpush: false })
  })

  test("a host that is detached and a database that is gone show as gone, and up makes them again", async () => {
    const [domain] = z
      .array(z.object({ id: z.string() }))
      .parse(await call("GET", `/workers/domains?service=${worker}`))
    await call("DELETE", `/workers/domains/${domain?.id}`)
    const detached = await preview()
    expect(detached.changes).toEqual({ create: 1 })
    expect(detached.text).toMatch(/WorkersCustomDomain: \(create\)/)
    expect(await up()).toEqual({ create: 1 })

    const [database] = z
      .array(z.object({ uuid: z.string() }))
      .parse(await call("GET", `/d1/database?name=${worker}`))
    await call("DELETE", `/d1/database/${database?.uuid}`)
    const { changes, text } = await preview()
    expect(text).toMatch(/D1Database: \(create\)/)
    expect(changes).not.toHaveProperty("replace")
    expect(changes).not.toHaveProperty("delete")
    await up()
    expect((await sendRequest(`${url}/api/health?schema=1`)).status).toBe(200)
    expect((await preview()).changes).toEqual({})
  })

  test("a Worker that is gone shows as gone in a plain preview, and up makes it again", async () => {
    await call("DELETE", `/workers/workers/${worker}`)
    const { changes, text } = await preview()
    expect(text).toMatch(/cloudflare:index\/worker:Worker: \(create\)/)
    expect(changes).toMatchObject({ create: expect.any(Number) })
    expect(changes).not.toHaveProperty("replace")
    await up()
    expect(await served()).toMatch(/^[0-9a-f-]{36}$/)
    expect((await preview()).changes).toEqual({})
  })

  test("a Worker that is gone does not stop a preview or a destroy", async () => {
    await call("DELETE", `/workers/workers/${worker}`)
    expect((await preview()).changes).toHaveProperty("create")
    await stack.destroy(local.stack)
  })
}
