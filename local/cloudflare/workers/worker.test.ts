import { expect, test } from "vitest"

import { localCloudflare } from "../testing/process.ts"
import { createWorker, uploadVersion } from "../testing/worker.ts"

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
