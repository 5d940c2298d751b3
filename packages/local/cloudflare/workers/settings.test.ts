import { expect, test } from "vitest"

import { askEdge } from "../testing/ask-edge.ts"
import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../testing/worker.ts"

test("a settings patch deploys a new version when it has to, and keeps secrets", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const worker = await createWorker(client, accountId, "patched")
  const first = await uploadVersion(client, {
    workerId: worker.id,
    accountId,
    code: source.replace("env.GREETING", "env.TEXT + env.GREETING"),
    bindings: [
      { type: "secret_text", name: "GREETING", text: " world" },
      { type: "plain_text", name: "TEXT", text: "hello" },
    ],
  })
  const hostname = "patched.accounts.test"
  const patch = async (settings: unknown, part = "settings") => {
    const form = new FormData()
    form.append(part, new Blob([JSON.stringify(settings)], { type: "application/json" }))
    const path = `/accounts/${accountId}/workers/scripts/patched/settings`
    const response = await cloudflare.request(path, { method: "PATCH", body: form })
    return response.json()
  }

  const text = { type: "plain_text", name: "TEXT", text: "bye" }
  expect(await patch({ bindings: [text] })).toMatchObject({ errors: [{ code: 10215 }] })
  await deployVersion(client, { accountId, script: "patched", versionId: first.id })
  await client.workers.domains.update({ account_id: accountId, hostname, service: "patched" })
  expect(await askEdge(cloudflare.edge, hostname, "/")).toMatchObject({ greeting: "hello world" })

  expect(await patch({ observability: { enabled: false }, logpush: true })).toMatchObject({
    success: true,
    result: { logpush: true, observability: { enabled: false, logs: { enabled: false } } },
  })
  expect((await askEdge(cloudflare.edge, hostname, "/")).text).toBe(first.id)

  const bindings = [text, { type: "inherit", name: "VERSION" }]
  expect(await patch({ bindings, compatibility_date: "2026-07-01" })).toMatchObject({
    result: {
      compatibility_date: "2026-07-01",
      logpush: true,
      bindings: [text, { name: "VERSION" }, { type: "secret_text", name: "GREETING" }],
    },
  })
  const answer = await askEdge(cloudflare.edge, hostname, "/")
  expect(answer).toMatchObject({ greeting: "bye world" })
  expect(answer.text).not.toBe(first.id)
  const script_name = "patched"
  const versions = client.workers.scripts.versions.list(script_name, { account_id: accountId })
  expect(await Array.fromAsync(versions)).toHaveLength(2)

  expect(await patch({ migrations: { new_classes: ["Room"] } })).toMatchObject({
    success: false,
    errors: [{ code: 10001, message: expect.stringContaining("migrations") }],
  })
  const consumer = { tail_consumers: [{ service: "nobody" }] }
  expect(await patch(consumer)).toMatchObject({ errors: [{ code: 10203 }] })
  expect(await patch({}, "settings[logpush]")).toMatchObject({
    errors: [{ message: expect.stringContaining("settings[logpush]") }],
  })
})

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
