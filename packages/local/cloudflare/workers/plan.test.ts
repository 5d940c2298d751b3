import { randomBytes } from "node:crypto"

import { expect, test } from "vitest"

import { localCloudflare } from "../testing/local-cloudflare.ts"
import { createWorker, source, uploadVersion } from "../testing/worker.ts"

test("on the Free plan a version has at most 3 MiB and no limits of its own", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "free")
  const noise = randomBytes(3.2 * 1024 * 1024).toString("base64")
  const upload = async () => {
    const form = new FormData()
    form.append("metadata", JSON.stringify({ main_module: "worker.js" }))
    const module = { type: "application/javascript+module" }
    form.append("worker.js", new File([`${source}\n// ${noise}`], "worker.js", module))
    const path = `/accounts/${accountId}/workers/scripts/free/versions`
    const response = await cloudflare.request(path, { method: "POST", body: form })
    return response.json()
  }
  const plan = (name: string) => cloudflare.local("/local/settings", { plan: name })
  expect(await upload()).toMatchObject({ success: true })
  await plan("free")
  expect(await upload()).toMatchObject({
    errors: [
      {
        code: 10_027,
        message:
          "Your Worker exceeded the size limit of 3 MiB. Please upgrade to a paid plan to deploy Workers up to 10 MiB.",
      },
    ],
  })
  const limited = await cloudflare.request(
    `/accounts/${accountId}/workers/workers/${workerId}/versions`,
    {
      method: "POST",
      body: JSON.stringify({
        main_module: "worker.js",
        modules: [
          {
            name: "worker.js",
            content_type: "application/javascript+module",
            content_base64: Buffer.from(source).toString("base64"),
          },
        ],
        limits: { cpu_ms: 50 },
      }),
    },
  )
  expect(await limited.json()).toMatchObject({
    errors: [{ code: 100_328, message: "CPU limits are not supported for the Free plan." }],
  })
  await uploadVersion(client, { workerId, accountId })
})
