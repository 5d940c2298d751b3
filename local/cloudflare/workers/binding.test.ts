import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker } from "../testing/worker.ts"

/** Every binding of Cloudflare's specification that does not run here, with its required fields. */
const unsupported = {
  ai: {},
  ai_search: { instance_name: "x" },
  ai_search_namespace: { namespace: "x" },
  analytics_engine: { dataset: "x" },
  browser: {},
  data_blob: { part: "x" },
  dispatch_namespace: { namespace: "x" },
  durable_object_namespace: { class_name: "Counter" },
  flagship: { id: "x" },
  hyperdrive: { id: "0".repeat(32) },
  images: {},
  kv_namespace: { namespace_id: "x" },
  media: {},
  messaging: {},
  mtls_certificate: { certificate_id: "x" },
  pipelines: { pipeline: "x" },
  queue: { queue_name: "x" },
  r2_bucket: { bucket_name: "x" },
  secret_key: { algorithm: {}, format: "raw", key_base64: "eA==", usages: ["sign"] },
  secrets_store_secret: { secret_name: "x", store_id: "x" },
  send_email: {},
  service: { service: "bound" },
  text_blob: { part: "x" },
  vectorize: { index_name: "x" },
  vpc_network: { network_id: "x" },
  vpc_service: { service_id: "x" },
  wasm_module: { part: "x" },
  workflow: { workflow_name: "x" },
}

test("an unsupported binding is rejected by name and type, and nothing is stored", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, accountId, "bound")
  const path = `/accounts/${accountId}/workers/workers/bound/versions`
  const content_base64 = Buffer.from("export default {}").toString("base64")
  const upload = async (binding: object) => {
    const module = { name: "x.js", content_type: "application/javascript+module", content_base64 }
    const body = JSON.stringify({ main_module: "x.js", modules: [module], bindings: [binding] })
    const response = await cloudflare.request(path, { method: "POST", body })
    return [response.status, await response.json()]
  }

  for (const [type, rest] of Object.entries(unsupported)) {
    expect([type, await upload({ type, name: "BOUND", ...rest })]).toMatchObject([
      type,
      [
        400,
        { errors: [{ code: 10021, message: expect.stringMatching(`BOUND has type ${type},`) }] },
      ],
    ])
  }
  const database_id = "00000000-0000-4000-8000-000000000000"
  expect(await upload({ type: "d1", name: "DB", database_id })).toMatchObject([
    400,
    {
      errors: [
        {
          code: 10181,
          message: expect.stringContaining(`'DB' references database '${database_id}'`),
        },
      ],
    },
  ])
  expect(await upload({ type: "d1", name: "DB" })).toMatchObject([
    400,
    { errors: [{ code: 10021 }] },
  ])
  expect(await (await cloudflare.request(path)).json()).toMatchObject({ result: [] })
})
