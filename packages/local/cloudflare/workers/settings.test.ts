import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, source } from "../testing/worker.ts"

test("every route returns the stored observability settings in full", async () => {
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
    traces: {
      enabled: true,
      head_sampling_rate: 0,
      persist: false,
      destinations: [],
    },
  }
  await client.workers.scripts.settings.edit("observed", { account_id, observability })
  const seen = [
    await client.workers.beta.workers.get("observed", { account_id }),
    await client.workers.scripts.settings.get("observed", { account_id }),
    await client.workers.scripts.scriptAndVersionSettings.get("observed", { account_id }),
  ]
  expect(seen.map((one) => one.observability)).toEqual([
    observability,
    observability,
    observability,
  ])
})

test("propagation_policy needs the account feature, and answers lack it without", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, account_id, "traced")
  const policy = { enabled: true, traces: { propagation_policy: "accept" as const } }
  const change = { account_id, observability: policy }
  const metadata = { main_module: "worker.js", observability: policy }
  const upload = async (method: string, path: string) => {
    const form = new FormData()
    form.append("metadata", JSON.stringify(metadata))
    form.append(
      "worker.js",
      new File([source], "worker.js", { type: "application/javascript+module" }),
    )
    const script = `/accounts/${account_id}/workers/scripts/traced${path}`
    const response = await cloudflare.request(script, { method, body: form })
    return `${response.status} ${await response.text()}`
  }
  const patch = { method: "PATCH", body: JSON.stringify({ observability: policy }) }
  const refusals = [
    client.workers.beta.workers.create({ ...change, name: "another" }),
    client.workers.beta.workers.update("traced", { ...change, name: "traced" }),
    client.workers.scripts.settings.edit("traced", change),
  ]
  for (const refusal of refusals) {
    await expect(refusal).rejects.toThrow(
      /^403 .*100342.*propagation_policy requires the trace propagation feature to be enabled\./,
    )
  }
  const patched = await cloudflare.request(`/accounts/${account_id}/workers/workers/traced`, patch)
  expect(await patched.json()).toMatchObject({ errors: [{ code: 100_342 }] })
  expect(await upload("PUT", "")).toMatch(/403.*100342/)
  expect(await upload("POST", "/versions")).toMatch(/403.*100342/)
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
