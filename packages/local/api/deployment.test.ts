import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { openTestAccount } from "../cloudflare/testing/test-account.ts"
import { createCron } from "./crons.ts"

const { account_id, client, cloudflare, createWorker, deployVersion, send, uploadVersion } =
  await openTestAccount()

const List = z.object({
  result: z.object({
    deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })),
  }),
})

test("a deployment needs one or two existing versions that add up to 100 %", async () => {
  const { id: workerId } = await createWorker("split")
  const upload = async () => (await uploadVersion(workerId)).id
  const [first, two] = [await upload(), await upload()]
  const deploy = (shares: Record<string, number>) =>
    client.workers.scripts.deployments.create("split", {
      account_id,
      strategy: "percentage",
      versions: Object.entries(shares).map(([version_id, percentage]) => ({
        version_id,
        percentage,
      })),
    })

  for (const wrong of [
    { [first]: 99 },
    { [first]: 50, [two]: 51 },
    { [first]: -1, [two]: 101 },
    {},
  ]) {
    await expect(deploy(wrong)).rejects.toThrow(/^400 /)
  }
  await expect(deploy({ [crypto.randomUUID()]: 100 })).rejects.toThrow(/^404 .*100146/)

  await deploy({ [first]: 100 })
  const split = await deploy({ [first]: 100, [two]: 0 })
  const live = await deploy({ [first]: 33.4, [two]: 66.6 })
  const list = "/workers/scripts/split/deployments"
  const whole = { versions: [{ percentage: 100 }] }
  const deployments = [{ versions: [{}, {}] }, split, whole]
  expect(await send("GET", list)).toMatchObject([200, { result: { deployments } }])
  const second = await send("GET", `${list}?page=2&per_page=2`)
  expect(second).toMatchObject([200, { result: { deployments: [whole] } }])
  const remove = (id: string) =>
    client.workers.scripts.deployments.delete(id, { account_id, script_name: "split" })
  await remove(split.id)
  await expect(remove(split.id)).rejects.toThrow("10336")
  await expect(remove(live.id)).rejects.toThrow(/live deployment/)
})

test("a rollback over a changed secret is refused by name unless it is forced", async () => {
  const { id: workerId } = await createWorker("rotated")
  const upload = async (secrets: Record<string, string>) => {
    const bindings = Object.entries(secrets).map(([name, text]) => ({
      type: "secret_text" as const,
      name,
      text,
    }))
    return (await uploadVersion(workerId, { bindings })).id
  }
  const deploy = async (query: string, ...ids: string[]) => {
    const versions = ids.map((version_id) => ({ version_id, percentage: 100 / ids.length }))
    const body = { strategy: "percentage", versions }
    return send("POST", `/workers/scripts/rotated/deployments${query}`, body)
  }
  const accepted = [200, { success: true }]
  const first = await upload({ KEPT: "same", ROTATED: "one", REMOVED: "one" })
  const second = await upload({ KEPT: "same", ROTATED: "two", ADDED: "two" })
  const third = await upload({ KEPT: "same", ROTATED: "two", ADDED: "two" })

  for (const ids of [[first], [first, second], [first], [second]]) {
    expect(await deploy("", ...ids)).toMatchObject(accepted)
  }
  const message = expect.stringMatching(/add a \?force=true .* changed: ADDED, REMOVED, ROTATED$/)
  expect(await deploy("", first)).toMatchObject([400, { errors: [{ code: 10_220, message }] }])
  for (const [query, id] of [
    ["", third],
    ["", second],
    ["?force=true", first],
    ["", second],
  ] as const) {
    expect(await deploy(query, id)).toMatchObject(accepted)
  }
})

test("concurrent deployments never mix", async () => {
  const { id: workerId } = await createWorker("busy")
  const uploads = await Promise.all(Array.from({ length: 4 }, () => uploadVersion(workerId)))
  expect(uploads.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
  await Promise.all(uploads.map(({ id }) => deployVersion("busy", id)))
  await client.workers.domains.update({
    account_id,
    hostname: "busy.accounts.test",
    service: "busy",
  })
  const [, list] = await send("GET", "/workers/scripts/busy/deployments")
  const { result } = List.parse(list)
  expect(result.deployments).toHaveLength(4)
  const live = result.deployments[0]?.versions[0]?.version_id
  expect((await askEdge(cloudflare.edge, "busy.accounts.test", "/")).text).toBe(live)
})

const Failure = z.looseObject({ errors: z.array(z.looseObject({ code: z.number() })) })

test("a Worker is returned in full by id and by name, and deleted with everything attached to it", async () => {
  const workers = client.workers.beta.workers

  const worker = await createWorker("whole")
  expect(worker).toMatchObject({
    name: "whole",
    tags: ["stack=test"],
    deployed_on: null,
    observability: {
      enabled: true,
      head_sampling_rate: 1,
      logs: { enabled: false, invocation_logs: true },
      traces: { enabled: false },
    },
    references: { domains: [], durable_objects: [], queues: [], workers: [] },
  })
  expect(await workers.get(worker.id, { account_id })).toEqual(worker)
  expect(await workers.get("whole", { account_id })).toEqual(worker)
  await expect(createWorker("whole")).rejects.toThrow("10040")

  const tags = ["stack=other"]
  const edit = { observability: { logs: { enabled: true } }, tags }
  const logs = { enabled: true, invocation_logs: true }
  const result = { tags, observability: { enabled: true, logs } }
  expect(await send("PATCH", "/workers/workers/whole", edit)).toMatchObject([200, { result }])

  await uploadVersion(worker.id)
  await client.workers.domains.update({
    account_id,
    hostname: "whole.accounts.test",
    service: "whole",
  })
  const { domains } = (await workers.get("whole", { account_id })).references
  expect(domains).toMatchObject([{ hostname: "whole.accounts.test", zone_name: "accounts.test" }])
  await workers.delete(worker.id, { account_id })
  await expect(workers.get("whole", { account_id })).rejects.toThrow("10007")
  await expect(workers.delete(worker.id, { account_id })).rejects.toThrow("10007")
  const attached = await client.workers.domains.list({ account_id, service: "whole" })
  expect(attached.result).toEqual([])
})

test("names, tags and rates beyond Cloudflare's limits are refused with their own codes", async () => {
  const call = async (method: string, body: unknown) => {
    const path = `/workers/workers${method === "POST" ? "" : "/limited"}`
    const [status, answer] = await send(method, path, body)
    return [status, ...Failure.parse(answer).errors.map(({ code }) => code)]
  }
  expect(await call("POST", { name: "limited" })).toEqual([200])
  const previews = { subdomain: { enabled: true, previews_enabled: true } }
  const refused = [
    [{ name: "Upper" }, [400, 10_016]],
    [{ name: "-x" }, [400, 10_016]],
    [{ name: "x".repeat(64) }, [400, 100_132]],
    [{ name: "x".repeat(55), ...previews }, [400, 100_315]],
    [{ tags: ["x".repeat(1025)] }, [400, 100_102]],
    [{ tags: ["a,b"] }, [400, 100_134]],
    [{ tags: ["a&b"] }, [400, 100_134]],
    [{ tags: Array.from({ length: 9 }, (_, index) => `${index}`) }, [403, 100_103]],
    [{ observability: { logs: { head_sampling_rate: 1.5 } } }, [400, 100_308]],
    [{ tail_consumers: [{ name: "nobody" }] }, [400, 10_203]],
    [{ colour: "red" }, [400, 10_021]],
  ] as const
  for (const [change, expected] of refused) {
    expect(await call("POST", { name: "another", ...change })).toEqual(expected)
    expect(await call("PUT", { name: "limited", ...change })).toEqual(expected)
    expect(await call("PATCH", change)).toEqual(expected)
  }
  expect(await call("POST", { name: "x".repeat(54), ...previews })).toEqual([200])
  expect(await call("POST", { name: "x".repeat(63) })).toEqual([200])

  expect(await call("PATCH", { tail_consumers: [{ name: "limited" }] })).toEqual([200])

  const elsewhere = await cloudflare.request("/accounts/nobody/workers/workers")
  expect([elsewhere.status, Failure.parse(await elsewhere.json()).errors[0]?.code]).toEqual([
    404, 7003,
  ])
})

test("Workers are listed ten at a time, the last deployed first", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `listed-${index}`)
  for (const name of names) await createWorker(name)
  const { id } = await uploadVersion("listed-7")
  await deployVersion("listed-7", id)

  const { workers } = client.workers.beta
  const first = await workers.list({ account_id })
  expect(first.result.map(({ name }) => name)).toHaveLength(10)
  expect(first.result[0]?.name).toBe("listed-7")
  const workerNames = (await Array.fromAsync(workers.list({ account_id }))).map(({ name }) => name)
  expect(workerNames.filter((name) => name.startsWith("listed-")).toSorted()).toEqual(
    names.toSorted(),
  )
  await expect(workers.list({ account_id, per_page: 101 })).rejects.toThrow(/^400 .*per_page/)
})

test("a schedule update replaces the whole set, and crons run the live version", async () => {
  const { id: workerId } = await createWorker("timed")
  const code = `export default {
    async scheduled(event, env) {
      await env.DB.prepare("INSERT INTO fired (cron) VALUES (?)").bind(event.cron).run()
    }
  }`
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "timed" })
  const query = async (sql: string) =>
    (await client.d1.database.query(uuid, { account_id, sql })).result
  await query("CREATE TABLE fired (cron TEXT)")
  const version = await uploadVersion(workerId, {
    code,
    bindings: [{ type: "d1", name: "DB", database_id: uuid }],
  })
  await deployVersion("timed", version.id)

  const put = (...crons: string[]) =>
    client.workers.scripts.schedules.update("timed", {
      account_id,
      body: crons.map((cron) => ({ cron })),
    })
  const narrower = ["@daily", "0 0 ? * *", "0 0 * * 8", "0 0 * * 0", " 0 0 * * *", "0 0 L-3 * *"]
  for (const cron of ["61 * * * *", "* * * * * *", ...narrower]) {
    await expect(put(cron)).rejects.toThrow("10066")
  }
  await put("5/15 * * * *", "0 0 L * *", "0 0 * * MON-FRI", "0 0 * * 2#1")
  await put("*/5 * * * *", "0 3 * * 1")
  const { schedules } = await put("0 3 * * 1")
  expect(schedules.map(({ cron }) => cron)).toEqual(["0 3 * * 1"])

  const fired = await cloudflare.local(
    "/local/cron",
    { script: "timed", cron: "0 3 * * 1" },
    "POST",
  )
  expect(fired).toMatchObject({ result: { outcome: "ok" } })
  expect(await query("SELECT cron FROM fired")).toMatchObject([
    { results: [{ cron: "0 3 * * 1" }] },
  ])
  await put()
})

test.each([
  ["0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00.000Z"],
  ["5/15 * * * *", "2026-02-01T00:06:00Z", "2026-02-01T00:20:00.000Z"],
  ["0 6 * * 1", "2026-02-02T00:00:00Z", "2026-02-08T06:00:00.000Z"],
])("the next run of %s after %s is %s", (cron, from, next) => {
  expect(createCron(cron).nextRun(new Date(from))?.toISOString()).toBe(next)
})

test("an account on the Free plan has five cron triggers", async () => {
  for (const name of ["one", "two"]) await createWorker(name)
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
  await cloudflare.local("/local/settings", { plan: "paid" })
})
