import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker } from "../cloudflare/testing/worker.ts"

test("a Worker returns its observability settings in full", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, account_id, "observed")
  const observability = {
    enabled: true,
    head_sampling_rate: 0.25,
    logs: {
      enabled: true,
      head_sampling_rate: 0.5,
      invocation_logs: false,
      persist: true,
      destinations: ["elsewhere"],
    },
    traces: { enabled: true, head_sampling_rate: 0, persist: false, destinations: [] },
  }
  const { workers } = client.workers.beta
  await workers.update("observed", { account_id, name: "observed", observability })
  const seen = await workers.get("observed", { account_id })
  expect(seen.observability).toEqual(observability)
})

test("propagation_policy needs the account feature, and answers lack it without", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, account_id, "traced")
  const policy = { enabled: true, traces: { propagation_policy: "accept" as const } }
  const change = { account_id, observability: policy }
  const patch = { method: "PATCH", body: JSON.stringify({ observability: policy }) }
  const refusals = [
    client.workers.beta.workers.create({ ...change, name: "another" }),
    client.workers.beta.workers.update("traced", { ...change, name: "traced" }),
  ]
  for (const refusal of refusals) {
    await expect(refusal).rejects.toThrow(
      /^403 .*100342.*propagation_policy requires the trace propagation feature to be enabled\./,
    )
  }
  const patched = await cloudflare.request(`/accounts/${account_id}/workers/workers/traced`, patch)
  expect(await patched.json()).toMatchObject({ errors: [{ code: 100_342 }] })
  const seen = async () => {
    const one = await client.workers.beta.workers.get("traced", { account_id })
    return one.observability.traces
  }
  expect(await seen()).not.toHaveProperty("propagation_policy")

  await cloudflare.local("/local/settings", { features: ["trace_propagation"] })
  expect(await seen()).toMatchObject({ propagation_policy: "authenticated" })
  await client.workers.beta.workers.update("traced", { ...change, name: "traced" })
  expect(await seen()).toMatchObject({ propagation_policy: "accept" })

  await cloudflare.local("/local/settings", { features: [] })
  // As a provider does whose state is from before.
  await client.workers.beta.workers.update("traced", { ...change, name: "traced", tags: ["new"] })
  const other = { enabled: true, traces: { propagation_policy: "authenticated" as const } }
  await expect(
    client.workers.beta.workers.update("traced", {
      account_id,
      name: "traced",
      observability: other,
    }),
  ).rejects.toThrow(/^403 .*100342/)
})
