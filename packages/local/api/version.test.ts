import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../cloudflare/testing/worker.ts"

function moduleOf(code: string) {
  const content_base64 = Buffer.from(code).toString("base64")
  return { name: "worker.js", content_type: "application/javascript+module", content_base64 }
}

const Answer = z.object({ result: z.looseObject({ id: z.string() }) })

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
  for (const lost of ["export default {}", "export class A {}", "console.log(1)"]) {
    await expect(upload(lost)).rejects.toThrow(
      /^400 .*10068.*The uploaded script has no registered event handlers\./,
    )
  }
  const missing = [{ type: "d1" as const, name: "DB", database_id: crypto.randomUUID() }]
  await expect(upload(source, missing)).rejects.toThrow(
    /10181.*D1 binding 'DB' references database/,
  )
  await expect(upload(source, [{ type: "inherit", name: "NOTHING" }])).rejects.toThrow("10057")

  const versions = client.workers.beta.workers.versions
  expect((await versions.list(workerId, { account_id: accountId })).result).toEqual([])
  const status = await cloudflare.request("/../../local/status")
  expect(await status.json()).toMatchObject({ failed: [], workers: [{ versions: [] }] })
})

test("a binding is inherited from the version that is named, else from the newest", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "heir")
  const { id: otherId } = await createWorker(client, accountId, "other")
  const upload = (greeting: string, to = workerId) =>
    uploadVersion(client, {
      workerId: to,
      accountId,
      bindings: [{ type: "secret_text", name: "GREETING", text: greeting }],
    })
  const one = await upload("one")
  await upload("two")
  const foreign = await upload("foreign", otherId)
  const hostname = "heir.accounts.test"
  await client.workers.domains.update({ account_id: accountId, hostname, service: "heir" })
  const inherit = async (version_id?: string) => {
    const binding = {
      type: "inherit" as const,
      name: "GREETING",
      ...(version_id && { version_id }),
    }
    const { id } = await uploadVersion(client, { workerId, accountId, bindings: [binding] })
    await deployVersion(client, { accountId, script: "heir", versionId: id })
    return (await askEdge(cloudflare.edge, hostname, "/")).greeting
  }

  expect(await inherit()).toBe("two")
  expect(await inherit("latest")).toBe("two")
  expect(await inherit(one.id)).toBe("one")
  await expect(inherit(foreign.id)).rejects.toThrow("10057")
  await expect(inherit(crypto.randomUUID())).rejects.toThrow("10057")
})

test("limits and placement are kept and shown, and an omitted compatibility date stays omitted", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const { id: worker_id } = await createWorker(client, account_id, "placed")
  const path = `/accounts/${account_id}/workers/workers/${worker_id}/versions`
  const upload = async (more: Record<string, unknown>) => {
    const body = JSON.stringify({
      main_module: "worker.js",
      modules: [moduleOf("export default { fetch: () => new Response() }")],
      ...more,
    })
    return (await cloudflare.request(path, { method: "POST", body })).json()
  }

  const plain = Answer.parse(await upload({})).result
  expect(plain).not.toHaveProperty("compatibility_date")
  expect(plain).not.toHaveProperty("limits")
  const runtime = { limits: { cpu_ms: 50 }, placement: { mode: "smart" } }
  const placed = Answer.parse(await upload(runtime)).result
  expect(placed).toMatchObject(runtime)
  const { versions } = client.workers.beta.workers
  expect(await versions.get(placed.id, { account_id, worker_id })).toMatchObject(runtime)
})
