import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { setUpWorker } from "../testing/worker-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

/** A Worker with a live version, to which no URL leads. */
async function setUp() {
  const at = { cloudflare, account, provider, workersDev: false }
  const worker = await setUpWorker(at, "well", "well")
  await worker.deploy({ [worker.first]: 100 })
  const url = `http://${worker.scriptName}.accounts.test`
  const release = () => provider.create("Release", worker.inputs(worker.second, { url }))
  return { ...worker, release }
}

test.concurrent.each([
  ["another Worker's binding", { workers: [{ id: "1", name: "shop" }] }, "workers shop"],
  [
    "a queue",
    { queues: [{ queue_id: "1", queue_name: "jobs", queue_consumer_id: "2" }] },
    "queues jobs",
  ],
  [
    "a Durable Object of another Worker",
    {
      durable_objects: [
        { worker_id: "1", worker_name: "chat", namespace_id: "", namespace_name: "" },
      ],
    },
    "durable_objects chat",
  ],
] as const)(
  "a Worker that %s reaches is not released without a trial",
  async (_by, by, expectedUser) => {
    const worker = await setUp()
    const path = new RegExp(`/workers/workers/${worker.scriptName}$`)
    const change = (result: object) => ({
      ...result,
      references: {
        workers: [],
        queues: [],
        durable_objects: [],
        dispatch_namespace_outbounds: [],
        ...by,
      },
    })
    using _answers = proxy.injectAll([{ method: "GET", path, change, times: 100 }])
    await expect(worker.release()).rejects.toThrow(
      `${worker.scriptName} was not deployed without a trial: it is used (${expectedUser}), but no URL leads there`,
    )
    expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
  },
)

test.concurrent.each(["email", "queue", "tail"])(
  "a Worker whose live version handles %s is not released without a trial",
  async (handler) => {
    const worker = await setUp()
    const path = new RegExp(`/scripts/${worker.scriptName}/versions/${worker.first}$`)
    const change = (result: object) => ({
      ...result,
      resources: {
        script: { etag: "1", handlers: ["fetch", "scheduled", handler] },
        script_runtime: {},
      },
    })
    using _answers = proxy.injectAll([{ method: "GET", path, change, times: 100 }])
    await expect(worker.release()).rejects.toThrow(
      `was not deployed without a trial: it is used (its handler for ${handler}), but no URL leads there`,
    )
    expect(await worker.shares()).toEqual([{ [worker.first]: 100 }])
  },
)
