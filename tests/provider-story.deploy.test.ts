import { afterAll, beforeAll, describe, expect, test } from "vitest"

import {
  type Change,
  losingAnswers,
  workerModule,
  name,
  secretText,
  setStage,
  zoneId,
} from "./provider-stage.ts"

// The same story judges Pulumi's own provider: ACCOUNTS_PROVIDER=official.
const { ACCOUNTS_PROVIDER: choice = "stand-in", ACCOUNTS_ENGINE: enginePath } = process.env

let provider: Awaited<ReturnType<typeof setStage>>

beforeAll(async () => {
  provider = await setStage({ choice, enginePath })
})

afterAll(() => provider[Symbol.asyncDispose]())

const all = (op: string) => ({
  database: op,
  worker: op,
  version: op,
  domain: op,
  route: op,
  cron: op,
})

describe("one stack", () => {
  test("comes up, stays as it is, and keeps no secret in the clear", async () => {
    const { ops, said } = await provider.up()
    expect(ops).toEqual(all("create"))
    expect(said.includes("stand-in for the Cloudflare provider")).toBe(choice === "stand-in")
    expect((await provider.up()).ops).toEqual(all("same"))
    expect(await provider.refresh()).toEqual({ same: 8 })
    expect((await provider.up()).ops).toEqual(all("same"))

    const state = provider.storedState()
    expect(state).not.toContain(secretText)
    expect(state).not.toContain(await provider.cloudflare.token())
  })

  test.each<[string, Change, Change]>([
    [
      "database name, main module",
      { database: { name: "other" } },
      { version: { mainModule: "other.js" } },
    ],
    [
      "jurisdiction, limits",
      { database: { jurisdiction: "eu" } },
      { version: { limits: { cpuMs: 10 } } },
    ],
    [
      "location, usage model",
      { database: { primaryLocationHint: "enam" } },
      { version: { usageModel: "bundled" } },
    ],
    [
      "hostname, annotations",
      { domain: { hostname: "www.accounts.test" } },
      { version: { annotations: { workersTag: "u" } } },
    ],
    [
      "zone name, compatibility flags",
      { domain: { zoneName: "localhost" } },
      { version: { compatibilityFlags: [] } },
    ],
    [
      "route's zone, compatibility date",
      { route: { zoneId: "7a6f6e656c6f63616c686f7374000001" } },
      { version: { compatibilityDate: "2026-07-01" } },
    ],
    [
      "script of the crons, placement",
      { cron: { scriptName: "other" } },
      { version: { placement: { mode: "smart" } } },
    ],
    [
      "service, migrations",
      { domain: { service: "other" } },
      { version: { migrations: { newTag: "v1" } } },
    ],
    [
      "account of the Worker, cache",
      { worker: { accountId: "0".repeat(32) } },
      { version: { cacheOptions: { enabled: true } } },
    ],
  ])("is replaced where it must be: %s", async (_, ...changes) => {
    const { ops } = await provider.preview(Object.assign({}, ...changes))
    for (const resource of changes.flatMap((change) => Object.keys(change))) {
      expect([resource, ops[resource]]).toEqual([resource, "replace"])
    }
  })

  test("is updated in place where that is enough, and Cloudflare hears of it", async () => {
    const change: Change = {
      database: { readReplication: { mode: "auto" } },
      worker: {
        tags: ["stack=story", "owner=us"],
        logpush: true,
        observability: { enabled: true },
      },
      route: { pattern: "accounts.test/v2/*" },
      cron: { schedules: [{ cron: "0 4 * * *" }, { cron: "*/5 * * * *" }] },
    }
    const updated = {
      ...all("same"),
      database: "update",
      worker: "update",
      route: "update",
      cron: "update",
    }
    expect((await provider.preview(change)).ops).toEqual(updated)
    expect((await provider.up(change)).ops).toEqual(updated)
    expect(await provider.ask("/workers/workers")).toMatchObject([
      { logpush: true, observability: { enabled: true }, tags: ["stack=story", "owner=us"] },
    ])
    expect(await provider.ask(`/workers/scripts/${name}/schedules`)).toMatchObject({
      schedules: [{ cron: "*/5 * * * *" }, { cron: "0 4 * * *" }],
    })
    expect((await provider.up(change)).ops).toEqual(all("same"))
    expect(await provider.refresh()).toEqual({ same: 8 })
    expect((await provider.up()).ops).toEqual(updated)
  })

  test("gets another version for another file, and the old one stays", async () => {
    provider.write("worker.js", `export default { fetch: () => new Response("two") }`)
    expect((await provider.up()).ops).toEqual({ ...all("same"), version: "replace" })
    expect(await provider.ask(`/workers/workers/${name}/versions`)).toHaveLength(2)
    expect(await provider.refresh()).toEqual({ same: 8 })
    expect((await provider.up()).ops).toEqual(all("same"))
  })

  test("sees what others changed or removed, and puts it right", async () => {
    const [route] = await provider.ask(`/zones/${zoneId}/workers/routes`)
    await provider.ask(`/zones/${zoneId}/workers/routes/${route.id}`, { method: "DELETE" })
    await provider.ask(`/workers/workers/${name}`, { method: "PATCH", body: { logpush: true } })
    expect(await provider.refresh()).toEqual({ same: 6, update: 1, delete: 1 })
    expect((await provider.up()).ops).toEqual({ ...all("same"), worker: "update", route: "create" })
    expect(await provider.ask(`/workers/workers/${name}`)).toMatchObject({ logpush: false })
  })

  test("refuses inputs in the preview, with their place and what to do", async () => {
    const version = { modules: [{ ...workerModule, contentFile: "missing.js" }] }
    await expect(provider.preview({ version })).rejects.toThrow(/modules\[0\].*missing\.js/s)
    const database = { primaryLocationHint: "mars" }
    await expect(provider.preview({ database })).rejects.toThrow(
      /primaryLocationHint|primary_location/,
    )
  })

  test("goes, and leaves nothing at Cloudflare", async () => {
    expect(await provider.destroy()).toEqual({ delete: 8 })
    for (const path of ["/d1/database", "/workers/workers", "/workers/domains"]) {
      expect(await provider.ask(path)).toEqual([])
    }
    expect(await provider.ask(`/zones/${zoneId}/workers/routes`)).toEqual([])
  })
})

describe("what is there already", () => {
  test("is imported under its account and id", async () => {
    const { uuid } = await provider.ask("/d1/database", { method: "POST", body: { name } })
    const { id } = await provider.ask("/workers/workers", { method: "POST", body: { name } })
    const { accountId } = provider.cloudflare
    const options = {
      only: ["database", "worker"],
      imports: { database: `${accountId}/${uuid}`, worker: `${accountId}/${id}` },
      database: { primaryLocationHint: undefined },
    }
    const adopted = await provider.up(options, "adopted")
    expect(adopted.ops).toEqual({ database: "import", worker: "import" })
    expect(adopted.ids).toEqual({ database: uuid, worker: id })
    const { imports: _, ...after } = options
    expect((await provider.up(after, "adopted")).ops).toEqual({ database: "same", worker: "same" })
    expect(await provider.destroy("adopted")).toEqual({ delete: 4 })
  })

  test("is named when a create loses its answer, and says how to go on", async () => {
    await using proxy = await losingAnswers(provider.cloudflare.api)
    const options = { only: ["database"] }
    await expect(provider.up({ ...options, baseUrl: proxy.url }, "lost")).rejects.toThrow(
      /d1\/database/,
    )
    expect(await provider.ask("/d1/database")).toMatchObject([{ name }])
    const advice =
      choice === "stand-in" ? /already exists.*accounts repair.*pulumi import/s : /already exists/
    await expect(provider.up(options, "lost")).rejects.toThrow(advice)
  })
})
