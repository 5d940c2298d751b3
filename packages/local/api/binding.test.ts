import { expect, test } from "vitest"
import * as z from "zod"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker } from "../cloudflare/testing/worker.ts"

/** Every other binding of Cloudflare's specification, with its required fields. */
const foreign = {
  ai: {},
  ai_search: { instance_name: "x" },
  ai_search_namespace: { namespace: "x" },
  analytics_engine: { dataset: "x" },
  browser: {},
  data_blob: { part: "x" },
  dispatch_namespace: { namespace: "x" },
  durable_object_namespace: { class_name: "Counter" },
  flagship: { app_id: "x" },
  hyperdrive: { id: "0".repeat(32) },
  images: {},
  kv_namespace: { namespace_id: "x" },
  media: {},
  messaging: { namespace: "x" },
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

const Created = z.object({
  result: z.object({ bindings: z.array(z.looseObject({ type: z.string() })) }),
})

test("a binding that nobody here interprets is kept as it came, and a broken one refused", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  await createWorker(client, accountId, "bound")
  const path = `/accounts/${accountId}/workers/workers/bound/versions`
  const content_base64 = Buffer.from("export default { fetch() {} }").toString("base64")
  const upload = async (binding: object) => {
    const module = { name: "x.js", content_type: "application/javascript+module", content_base64 }
    const bindings = Array.isArray(binding) ? binding : [binding]
    const body = JSON.stringify({ main_module: "x.js", modules: [module], bindings })
    const response = await cloudflare.request(path, { method: "POST", body })
    return [response.status, await response.json()]
  }

  const bound = Object.entries(foreign).map(([type, rest]) =>
    Object.assign({ type, name: type }, rest),
  )
  const { secret_key: _key, ...open } = foreign
  const shown = bound.filter(({ type }) => type in open)
  const [status, answer] = await upload(bound)
  expect(status).toBe(200)
  const { bindings } = Created.parse(answer).result
  expect(bindings.filter(({ type }) => type in open)).toEqual(shown)
  expect(JSON.stringify(bindings)).not.toContain("eA==")
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
  const broken = await upload({ type: "kv_namespace", name: "PAIRS" })
  expect(broken).toMatchObject([
    400,
    { errors: [{ message: expect.stringContaining("namespace_id") }] },
  ])
  const list = z.object({ result: z.array(z.unknown()) })
  expect(list.parse(await (await cloudflare.request(path)).json()).result).toHaveLength(1)
})
