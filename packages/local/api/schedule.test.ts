import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"
import { createCron } from "./crons.ts"

test("a schedule update replaces the whole set, and crons run the live version", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, account_id, "timed")
  const code = `export default {
    async scheduled(event, env) {
      await env.DB.prepare("INSERT INTO fired (cron) VALUES (?)").bind(event.cron).run()
    }
  }`
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "timed" })
  const query = async (sql: string) =>
    (await client.d1.database.query(uuid, { account_id, sql })).result
  await query("CREATE TABLE fired (cron TEXT)")
  const version = await uploadVersion(client, {
    workerId,
    accountId: account_id,
    code,
    bindings: [{ type: "d1", name: "DB", database_id: uuid }],
  })
  await deployVersion(client, { accountId: account_id, script: "timed", versionId: version.id })

  const put = (...crons: string[]) =>
    client.workers.scripts.schedules.update("timed", {
      account_id,
      body: crons.map((cron) => ({ cron })),
    })
  await expect(put("61 * * * *")).rejects.toThrow("10066")
  await expect(put("* * * * * *")).rejects.toThrow("10066")
  for (const narrower of [
    "@daily",
    "0 0 ? * *",
    "0 0 * * 8",
    "0 0 * * 0",
    " 0 0 * * *",
    "0 0 L-3 * *",
  ]) {
    await expect(put(narrower)).rejects.toThrow("10066")
  }
  await put("5/15 * * * *", "0 0 L * *", "0 0 * * MON-FRI", "0 0 * * 2#1")
  await put("*/5 * * * *", "0 3 * * 1")
  const { schedules } = await put("0 3 * * 1")
  expect(schedules.map(({ cron }) => cron)).toEqual(["0 3 * * 1"])

  const body = JSON.stringify({ script: "timed", cron: "0 3 * * 1" })
  const fired = await cloudflare.request("/../../local/cron", { method: "POST", body })
  expect(await fired.json()).toMatchObject({ result: { outcome: "ok" } })
  expect(await query("SELECT cron FROM fired")).toMatchObject([
    { results: [{ cron: "0 3 * * 1" }] },
  ])
})

test.each([
  ["0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00.000Z"],
  ["5/15 * * * *", "2026-02-01T00:06:00Z", "2026-02-01T00:20:00.000Z"],
  ["0 6 * * 1", "2026-02-02T00:00:00Z", "2026-02-08T06:00:00.000Z"],
])("the next run of %s after %s is %s", (cron, from, next) => {
  expect(createCron(cron).nextRun(new Date(from))?.toISOString()).toBe(next)
})

test("an account on the Free plan has five cron triggers", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  for (const name of ["one", "two"]) await createWorker(client, account_id, name)
  const put = (script: string, count: number) =>
    client.workers.scripts.schedules.update(script, {
      account_id,
      body: Array.from({ length: count }, (_, minute) => ({ cron: `${minute} * * * *` })),
    })
  await put("one", 3)
  await cloudflare.local("/local/settings", { plan: "free" })
  await put("two", 2)
  await expect(put("two", 3)).rejects.toThrow(/^400 .*5 cron triggers/)
  await put("one", 3)
})
