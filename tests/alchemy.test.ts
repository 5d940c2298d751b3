import { askEdge } from "@accounts/local/cloudflare/testing/ask-edge"
import { localCloudflare } from "@accounts/local/cloudflare/testing/local-cloudflare"
import { describe, expect, test } from "vitest"

import { alchemyMissing, alchemyProject } from "./testing/alchemy.ts"

const missing = await alchemyMissing()
const note = missing ? ` skipped: ${missing}` : ""

const program = `
import alchemy from "alchemy"
import { Assets, D1Database, DurableObjectNamespace, KVNamespace, Worker } from "alchemy/cloudflare"

const { phase = "up", greeting, assets, kv, room } = JSON.parse(process.env.SETTINGS)
const app = await alchemy("journey", { stage: "test", password: "of the tests", phase, quiet: true })
const database = await D1Database("notes", { name: "notes", migrationsDir: "./migrations" })
await Worker("web", {
  name: "web",
  entrypoint: "./worker.js",
  noBundle: true,
  compatibilityDate: "2026-08-01",
  url: false,
  crons: ["*/5 * * * *"],
  domains: ["alchemy.accounts.test"],
  bindings: {
    DB: database,
    GREETING: alchemy.secret(greeting),
    ...(assets && { ASSETS: await Assets({ path: "./assets" }) }),
    ...(kv && { KV: await KVNamespace("pairs", { title: "pairs" }) }),
    ...(room && { ROOM: DurableObjectNamespace("room", { className: "Room" }) }),
  },
})
await app.finalize()
`

const worker = `
export default {
  async fetch(request, { DB, GREETING }) {
    const { results } = await DB.prepare("SELECT text FROM note ORDER BY text").all()
    return Response.json({ greeting: GREETING, notes: results.map(({ text }) => text) })
  },
  scheduled() {},
}
`

const files = {
  "alchemy.run.mjs": program,
  "worker.js": worker,
  "migrations/0001_note.sql": "CREATE TABLE note (text TEXT);\nINSERT INTO note VALUES ('a;b');",
  "assets/hello.txt": "hello from a file",
}

describe.skipIf(missing !== undefined)(`[alchemy]${note}`, () => {
  test("Alchemy creates, updates and destroys a Worker with database, secret, cron, domain and assets", async () => {
    await using cloudflare = await localCloudflare()
    await using alchemy = await alchemyProject({ cloudflare, files })
    const client = await cloudflare.client()
    const account = { account_id: cloudflare.accountId }
    const ask = (path = "/") => askEdge(cloudflare.edge, "alchemy.accounts.test", path)

    await alchemy.run({ greeting: "hello" })
    expect(JSON.parse((await ask()).text)).toEqual({ greeting: "hello", notes: ["a;b"] })
    const { schedules } = await client.workers.scripts.schedules.get("web", account)
    expect(schedules.map(({ cron }) => cron)).toEqual(["*/5 * * * *"])

    await alchemy.run({ greeting: "goodbye", assets: true })
    expect(JSON.parse((await ask()).text)).toEqual({ greeting: "goodbye", notes: ["a;b"] })
    expect((await ask("/hello.txt")).text).toBe("hello from a file")

    await alchemy.run({ greeting: "goodbye", assets: true, phase: "destroy" })
    expect((await ask()).status).toBe(404)
    expect((await client.d1.database.list(account)).result).toEqual([])
  })

  test.each([
    ["KV", { kv: true }, /has no POST \S+\/storage\/kv\/namespaces/],
    [
      "a Durable Object",
      { room: true },
      "migrations.new_classes: the local Cloudflare runs no Durable Objects",
    ],
  ])("%s, which does not run here, is refused by its name", async (_what, settings, reason) => {
    await using cloudflare = await localCloudflare()
    await using alchemy = await alchemyProject({ cloudflare, files })
    await expect(alchemy.run({ greeting: "hello", ...settings })).rejects.toThrow(reason)
  })
})
