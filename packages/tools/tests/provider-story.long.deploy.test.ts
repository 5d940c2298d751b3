import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import { startFaultProxy } from "../deploy/testing/fault-proxy.ts"
import { describeProviders, type Provider } from "./testing/engine/describe-providers.ts"
import { type Change, name, openStoryStack, zoneId } from "./testing/engine/story-stack.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"

const { ACCOUNTS_ENGINE: enginePath } = process.env

// Both providers run the same story with the same logs: ours has to write what Pulumi's own writes.
await describeProviders(story)

function all(op: string) {
  return { database: op, worker: op, domain: op, route: op }
}

function story(choice: Provider) {
  let provider: Awaited<ReturnType<typeof openStoryStack>>

  beforeAll(async () => {
    provider = await openStoryStack({ choice, enginePath })
  })

  afterAll(() => provider[Symbol.asyncDispose]())

  /** Compares the requests since the last step and the account's contents with the committed log. */
  async function compareChanges(step: string) {
    const file = join(import.meta.dirname, "provider-story", `${step}.txt`)
    await expect(await provider.changes()).toMatchFileSnapshot(file)
  }

  test("one stack comes up, stays unchanged and stores no token", async () => {
    const { ops, messages } = await provider.up()
    expect(ops).toEqual(all("create"))
    expect(messages.includes("stand-in for the Cloudflare provider")).toBe(choice === "stand-in")
    await compareChanges("create")
    expect((await provider.up()).ops).toEqual(all("same"))
    expect(await provider.refresh()).toEqual({ same: 6 })
    expect((await provider.up()).ops).toEqual(all("same"))

    await compareChanges("no-change")

    expectNoLeak(provider.storedState(), { token: provider.cloudflare.token })
  })

  test("one stack replaces resources that cannot be updated", async () => {
    const changes: Change[] = [
      { database: { name: "other" }, worker: { accountId: "0".repeat(32) } },
      { database: { jurisdiction: "eu" }, domain: { hostname: "www.accounts.test" } },
      { database: { primaryLocationHint: "enam" }, domain: { zoneName: "localhost" } },
      { route: { zoneId: "7a6f6e656c6f63616c686f7374000001" }, domain: { service: "other" } },
    ]
    for (const change of changes) {
      const { ops } = await provider.preview(change)
      const replaced = Object.keys(change).map((resource) => [resource, "replace"])
      expect(ops).toMatchObject(Object.fromEntries(replaced))
    }
    await compareChanges("no-change")
  })

  test("one stack updates resources in place, at Cloudflare too", async () => {
    const change: Change = {
      database: { readReplication: { mode: "auto" } },
      worker: {
        tags: ["stack=story", "owner=us"],
        logpush: true,
        observability: { enabled: true },
      },
      route: { pattern: "accounts.test/v2/*" },
    }
    const updated = { ...all("same"), database: "update", worker: "update", route: "update" }
    expect((await provider.preview(change)).ops).toEqual(updated)
    expect((await provider.up(change)).ops).toEqual(updated)
    await compareChanges("update")
    expect(await provider.request("/workers/workers")).toMatchObject([
      { logpush: true, observability: { enabled: true }, tags: ["owner=us", "stack=story"] },
    ])
    expect((await provider.up(change)).ops).toEqual(all("same"))
    expect(await provider.refresh()).toEqual({ same: 6 })
    expect((await provider.up()).ops).toEqual(updated)
    await compareChanges("update-back")
  })

  test("one stack detects and repairs resources that others changed or removed", async () => {
    const [route] = await provider.request(`/zones/${zoneId}/workers/routes`)
    await provider.request(`/zones/${zoneId}/workers/routes/${route.id}`, { method: "DELETE" })
    await provider.request(`/workers/workers/${name}`, { method: "PATCH", body: { logpush: true } })
    expect(await provider.refresh()).toEqual({ same: 4, update: 1, delete: 1 })
    await compareChanges("refresh-after-others")
    expect((await provider.up()).ops).toEqual({ ...all("same"), worker: "update", route: "create" })
    await compareChanges("put-right")
    expect(await provider.request(`/workers/workers/${name}`)).toMatchObject({ logpush: false })
  })

  test("one stack rejects invalid inputs in the preview, with their path and the fix", async () => {
    const database = { primaryLocationHint: "mars" }
    await expect(provider.preview({ database })).rejects.toThrow(
      /primaryLocationHint|primary_location/,
    )
    await compareChanges("refused-inputs")
  })

  test("one stack is destroyed and leaves nothing at Cloudflare", async () => {
    expect(await provider.destroy()).toEqual({ delete: 6 })
    await compareChanges("destroy")
    for (const path of ["/d1/database", "/workers/workers", "/workers/domains"]) {
      expect(await provider.request(path)).toEqual([])
    }
    expect(await provider.request(`/zones/${zoneId}/workers/routes`)).toEqual([])
  })

  test("an existing resource is imported under its account and id", async () => {
    const { uuid } = await provider.request("/d1/database", { method: "POST", body: { name } })
    const { id } = await provider.request("/workers/workers", { method: "POST", body: { name } })
    const { accountId } = provider.cloudflare
    const options = {
      only: ["database", "worker"],
      imports: { database: `${accountId}/${uuid}`, worker: `${accountId}/${id}` },
      database: { primaryLocationHint: undefined },
    }
    const adopted = await provider.up(options, "adopted")
    expect(adopted.ops).toEqual({ database: "import", worker: "import" })
    expect(adopted.ids).toEqual({ database: uuid, worker: id })
    await compareChanges("import")
    const { imports: _, ...after } = options
    expect((await provider.up(after, "adopted")).ops).toEqual({ database: "same", worker: "same" })
    expect(await provider.destroy("adopted")).toEqual({ delete: 4 })
    await compareChanges("destroy-imported")
  })

  test("a create that lost its answer is sent again, and refused because of what it made", async () => {
    await using proxy = await startFaultProxy(provider.cloudflare.api)
    proxy.inject({ method: "POST", path: /./, fault: "drop after" })
    const options = { only: ["database"] }
    await expect(provider.up({ ...options, baseUrl: proxy.url }, "lost")).rejects.toThrow(
      /d1\/database/,
    )
    expect(await provider.request("/d1/database")).toMatchObject([{ name }])
    await expect(provider.up(options, "lost")).rejects.toThrow(/already exists/)
    await compareChanges("lost-answer")
  })
}
