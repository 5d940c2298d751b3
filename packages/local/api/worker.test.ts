import { expect, test } from "vitest"
import * as z from "zod"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"

const Failure = z.looseObject({ errors: z.array(z.looseObject({ code: z.number() })) })

test("a Worker is returned in full by id and by name, and deleted with everything attached to it", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const workers = client.workers.beta.workers

  const worker = await createWorker(client, account_id, "whole")
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
  await expect(createWorker(client, account_id, "whole")).rejects.toThrow("10040")

  const edited = await cloudflare.request(`/accounts/${account_id}/workers/workers/whole`, {
    method: "PATCH",
    body: JSON.stringify({ observability: { logs: { enabled: true } }, tags: ["stack=other"] }),
  })
  expect(await edited.json()).toMatchObject({
    result: {
      tags: ["stack=other"],
      observability: { enabled: true, logs: { enabled: true, invocation_logs: true } },
    },
  })

  await uploadVersion(client, { workerId: worker.id, accountId: account_id })
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
  expect((await client.workers.domains.list({ account_id })).result).toEqual([])
})

test("names, tags and rates beyond Cloudflare's limits are refused with their own codes", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const path = `/accounts/${accountId}/workers/workers`
  const call = async (method: string, body: unknown) => {
    const target = method === "POST" ? path : `${path}/limited`
    const response = await cloudflare.request(target, { method, body: JSON.stringify(body) })
    const { errors } = Failure.parse(await response.json())
    return [response.status, ...errors.map(({ code }) => code)]
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
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const names = Array.from({ length: 12 }, (_, index) => `listed-${index}`)
  for (const name of names) await createWorker(client, account_id, name)
  const { id } = await uploadVersion(client, { workerId: "listed-7", accountId: account_id })
  await deployVersion(client, { accountId: account_id, script: "listed-7", versionId: id })

  const { workers } = client.workers.beta
  const first = await workers.list({ account_id })
  expect(first.result.map(({ name }) => name)).toHaveLength(10)
  expect(first.result[0]?.name).toBe("listed-7")
  const all = (await Array.fromAsync(workers.list({ account_id }))).map(({ name }) => name)
  expect(all.toSorted()).toEqual(names.toSorted())
  await expect(workers.list({ account_id, per_page: 101 })).rejects.toThrow(/^400 .*per_page/)
})
