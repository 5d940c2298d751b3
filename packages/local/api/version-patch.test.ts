import { expect, test } from "vitest"
import * as z from "zod"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { source } from "../cloudflare/testing/worker.ts"

const Answer = z.object({
  result: z.looseObject({
    id: z.string(),
    annotations: z.record(z.string(), z.string()),
    bindings: z.array(z.looseObject({ name: z.string(), type: z.string() })),
  }),
})

test("a patch of the newest version inherits all that it leaves out, annotations included", async () => {
  await using cloudflare = await localCloudflare()
  const account = `/accounts/${cloudflare.accountId}`
  const send = async (method: string, path: string, body: unknown) => {
    const response = await cloudflare.request(account + path, {
      method,
      body: JSON.stringify(body),
    })
    return response.json()
  }
  await send("POST", "/workers/workers", { name: "patched" })
  const versions = "/workers/workers/patched/versions"
  const module = {
    name: "worker.js",
    content_type: "application/javascript+module",
    content_base64: Buffer.from(source).toString("base64"),
  }
  const text = (name: string) => ({ type: "plain_text", name, text: name })
  const uploaded = Answer.parse(
    await send("POST", versions, {
      main_module: "worker.js",
      modules: [module],
      bindings: [text("ONE"), text("TWO")],
      compatibility_date: "2026-08-01",
      limits: { cpu_ms: 50 },
      annotations: { "workers/tag": "mine", "workers/message": "first" },
    }),
  ).result
  const copy = Answer.parse(await send("PATCH", `${versions}/latest`, {})).result
  const same = {
    annotations: uploaded.annotations,
    bindings: uploaded.bindings,
    limits: { cpu_ms: 50 },
    compatibility_date: "2026-08-01",
  }
  expect(copy).toMatchObject(same)
  expect(copy.id).not.toBe(uploaded.id)

  const changed = Answer.parse(
    await send("PATCH", `${versions}/latest?deploy=true`, {
      env: {
        ONE: null,
        TWO: { type: "plain_text", text: "2" },
        NEW: { type: "secret_text", text: "3" },
      },
      limits: { subrequests: 5 },
      annotations: { "workers/message": "by hand" },
    }),
  ).result
  expect(changed).toMatchObject({ limits: { cpu_ms: 50, subrequests: 5 } })
  expect(changed.annotations).toMatchObject({ "workers/tag": "mine", "workers/message": "by hand" })
  expect(changed.bindings).toEqual([
    { type: "secret_text", name: "NEW" },
    { type: "plain_text", name: "TWO", text: "2" },
  ])
  const deployments = await cloudflare.request(`${account}/workers/scripts/patched/deployments`)
  expect(await deployments.json()).toMatchObject({
    result: { deployments: [{ versions: [{ version_id: changed.id, percentage: 100 }] }] },
  })
})
