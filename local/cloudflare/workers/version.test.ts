import { expect, test } from "vitest"

import { localCloudflare } from "../testing/process.ts"
import { createWorker, source, uploadVersion } from "../testing/worker.ts"

test("a version returns what was uploaded, without the values of secrets", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "bound" })
  const worker = await createWorker(client, account_id, "version")
  const created = await uploadVersion(client, {
    workerId: worker.id,
    accountId: account_id,
    bindings: [
      { type: "secret_text", name: "AUTH_SECRET", text: "never to be seen" },
      { type: "d1", name: "DB", database_id: uuid },
    ],
  })
  const read = await client.workers.beta.workers.versions.get(created.id, {
    account_id,
    worker_id: worker.id,
    include: "modules",
  })
  expect(read).toMatchObject({
    id: created.id,
    number: 1,
    main_module: "worker.js",
    modules: [{ name: "worker.js", content_base64: Buffer.from(source).toString("base64") }],
    compatibility_date: "2026-08-01",
  })
  expect(read.bindings).toEqual([
    { type: "secret_text", name: "AUTH_SECRET" },
    { type: "d1", name: "DB", database_id: uuid },
    { type: "version_metadata", name: "VERSION" },
  ])
  const inherited = await uploadVersion(client, {
    workerId: worker.id,
    accountId: account_id,
    bindings: [{ type: "inherit", name: "AUTH_SECRET" }],
  })
  expect(inherited.bindings).toContainEqual({ type: "secret_text", name: "AUTH_SECRET" })
  const numbers: (number | undefined)[] = []
  const list = client.workers.beta.workers.versions.list(worker.id, { account_id, per_page: 1 })
  for await (const { number } of list) numbers.push(number)
  expect(numbers).toEqual([2, 1])
})

test("a version that fails to start is rejected with its own message, and nothing is stored", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "broken")
  const upload = (code: string, bindings: Parameters<typeof uploadVersion>[1]["bindings"] = []) =>
    uploadVersion(client, { workerId, accountId, code, bindings })

  await expect(upload("throw new Error('BOOM at start')")).rejects.toThrow(/10021.*BOOM at start/)
  await expect(upload("export default {")).rejects.toThrow(/10021.*SyntaxError/)
  const missing = [{ type: "d1" as const, name: "DB", database_id: crypto.randomUUID() }]
  await expect(upload(source, missing)).rejects.toThrow(
    /10181.*D1 binding 'DB' references database/,
  )
  await expect(upload(source, [{ type: "inherit", name: "NOTHING" }])).rejects.toThrow("10057")
  await expect(upload(source, [{ type: "browser", name: "B" }])).rejects.toThrow(/10021.*browser/)

  const versions = client.workers.beta.workers.versions
  expect((await versions.list(workerId, { account_id: accountId })).result).toEqual([])
  const status = await cloudflare.request("/../../local/status")
  expect(await status.json()).toMatchObject({ failed: [], workers: [{ versions: [] }] })
})
