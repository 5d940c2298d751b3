import { randomBytes } from "node:crypto"

import { expect, test } from "vitest"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, source, uploadVersion } from "../cloudflare/testing/worker.ts"

test("on the Free plan a version has at most 3 MiB and no limits of its own", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "free")
  const noise = randomBytes(3.2 * 1024 * 1024).toString("base64")
  const upload = async (code: string, more: object = {}) => {
    const content_base64 = Buffer.from(code).toString("base64")
    const type = "application/javascript+module"
    const body = JSON.stringify({
      main_module: "worker.js",
      modules: [{ name: "worker.js", content_type: type, content_base64 }],
      ...more,
    })
    const path = `/accounts/${accountId}/workers/workers/${workerId}/versions`
    return (await cloudflare.request(path, { method: "POST", body })).json()
  }
  const large = `${source}
// ${noise}`
  const plan = (name: string) => cloudflare.local("/local/settings", { plan: name })
  expect(await upload(large)).toMatchObject({ success: true })
  await plan("free")
  expect(await upload(large)).toMatchObject({
    errors: [
      {
        code: 10_027,
        message:
          "Your Worker exceeded the size limit of 3 MiB. Please upgrade to a paid plan to deploy Workers up to 10 MiB.",
      },
    ],
  })
  expect(await upload(source, { limits: { cpu_ms: 50 } })).toMatchObject({
    errors: [{ code: 100_328, message: "CPU limits are not supported for the Free plan." }],
  })
  await uploadVersion(client, { workerId, accountId })
})
