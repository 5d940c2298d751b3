import { expect, test } from "vitest"
import * as z from "zod"

import { localCloudflare } from "../cloudflare/testing/local-cloudflare.ts"
import { createWorker, deployVersion, source, uploadVersion } from "../cloudflare/testing/worker.ts"

const Created = z.object({ result: z.looseObject({ id: z.string() }) })

async function setUp() {
  const cloudflare = await localCloudflare()
  const { accountId } = cloudflare
  const client = await cloudflare.client()
  const { id: workerId } = await createWorker(client, accountId, "doubted")
  const workers = `/accounts/${accountId}/workers`
  const get = async (path: string) => {
    const response = await cloudflare.request(workers + path)
    return { status: response.status, answer: await response.json() }
  }
  return {
    doubt: (doubts: Record<string, unknown>) => cloudflare.local("/local/settings", { doubts }),
    upload: (overrides: Partial<Parameters<typeof uploadVersion>[1]> = {}) =>
      uploadVersion(client, { workerId, accountId, ...overrides }),
    deploy: (versionId: string) =>
      deployVersion(client, { accountId, script: "doubted", versionId }),
    async post(path: string, body: unknown) {
      const response = await cloudflare.request(workers + path, {
        method: "POST",
        body: JSON.stringify(body),
      })
      return response.json()
    },
    get,
    status: async (path: string) => (await get(path)).status,
    [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose](),
  }
}

test("each route finds a version only after as many reads as it is doubted", async () => {
  await using cloudflare = await setUp()
  await cloudflare.doubt({ lateReads: 2 })
  const { id } = await cloudflare.upload()
  for (const route of ["workers", "scripts"]) {
    const path = `/${route}/doubted/versions/${id}`
    expect(await cloudflare.get(path)).toMatchObject({
      status: 404,
      answer: { errors: [{ code: 100_146 }] },
    })
    expect([await cloudflare.status(path), await cloudflare.status(path)]).toEqual([404, 200])
  }
})

test("a Worker that was never deployed is no script, if that is doubted", async () => {
  await using cloudflare = await setUp()
  await cloudflare.doubt({ undeployedUnknown: true })
  const { id } = await cloudflare.upload()
  const paths = [`/versions/${id}`, "/versions", "/deployments"]
  const ask = () => Promise.all(paths.map((path) => cloudflare.status(`/scripts/doubted${path}`)))
  expect(await ask()).toEqual([404, 404, 404])
  expect(await cloudflare.status(`/workers/doubted/versions/${id}`)).toBe(200)
  await cloudflare.deploy(id)
  expect(await ask()).toEqual([200, 200, 200])
})

test("refusals have a code that says nothing, if codes are doubted", async () => {
  await using cloudflare = await setUp()
  await cloudflare.doubt({ otherCodes: true })
  for (const path of ["/workers/nobody", "/scripts/nobody/deployments"]) {
    const answer = { success: false, errors: [{ code: 10_013, message: expect.any(String) }] }
    expect(await cloudflare.get(path)).toMatchObject({ status: 404, answer })
  }
})

test("limits are dropped, texts hidden and lists turned round, if they are doubted", async () => {
  await using cloudflare = await setUp()
  const module = {
    name: "worker.js",
    content_type: "application/javascript+module",
    content_base64: Buffer.from(source).toString("base64"),
  }
  const body = {
    main_module: "worker.js",
    modules: [module],
    bindings: [{ type: "plain_text", name: "GREETING", text: "hello" }],
    limits: { cpu_ms: 50 },
    placement: { mode: "smart" },
  }
  const versions = "/workers/doubted/versions"
  const before = Created.parse(await cloudflare.post(versions, body)).result
  expect(before).toMatchObject({ limits: { cpu_ms: 50 }, bindings: body.bindings })
  await cloudflare.doubt({ limitsIgnored: true, textsHidden: true, oldestFirst: true })
  const after = Created.parse(await cloudflare.post(versions, body)).result
  expect(after).not.toHaveProperty("limits")
  expect(after).toMatchObject({
    bindings: [{ type: "plain_text", name: "GREETING" }],
    placement: { mode: "smart" },
  })
  expect(JSON.stringify(after)).not.toContain("hello")
  await cloudflare.deploy(after.id)
  const older = await cloudflare.get(`/scripts/doubted/versions/${after.id}`)
  expect(older.answer).toMatchObject({ result: { resources: { bindings: [{ text: "hello" }] } } })
  const list = await cloudflare.get(versions)
  expect(list.answer).toMatchObject({ result: [{ id: before.id }, { id: after.id }] })
})
