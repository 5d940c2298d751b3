import { randomUUID } from "node:crypto"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { openTestAccount } from "../cloudflare/testing/test-account.ts"
import { source, type Upload, workerOf } from "../cloudflare/testing/worker.ts"
import { openState } from "../state/state.ts"
import { ApiError } from "./envelope.ts"
import {
  insertVersion,
  listDeployableVersions,
  listVersions,
  requireDeployable,
} from "./version.ts"
import { defaultSettings, insertWorker, newWorker } from "./worker.ts"

const { account_id, client, cloudflare, createWorker, deployVersion, send, uploadVersion } =
  await openTestAccount()

const Answer = z.object({ result: z.looseObject({ id: z.string() }) })

test("a version returns what was uploaded, without the values of secrets", async () => {
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "bound" })
  const worker = await createWorker("version")
  const created = await uploadVersion(worker.id, {
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
    ...workerOf(source),
    compatibility_date: "2026-08-01",
  })
  expect(read.bindings).toEqual([
    { type: "secret_text", name: "AUTH_SECRET" },
    { type: "d1", name: "DB", database_id: uuid },
    { type: "version_metadata", name: "VERSION" },
  ])
  const inherited = await uploadVersion(worker.id, {
    bindings: [{ type: "inherit", name: "AUTH_SECRET" }],
  })
  expect(inherited.bindings).toContainEqual({ type: "secret_text", name: "AUTH_SECRET" })
  const numbers: (number | undefined)[] = []
  const list = client.workers.beta.workers.versions.list(worker.id, { account_id, per_page: 1 })
  for await (const { number } of list) numbers.push(number)
  expect(numbers).toEqual([2, 1])
})

test("a version that fails to start is rejected with its own message, and nothing is stored", async () => {
  const { id: workerId } = await createWorker("broken")
  const upload = (code: string, bindings: Upload["bindings"] = []) =>
    uploadVersion(workerId, { code, bindings })

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
  const stored = expect.objectContaining({ name: "broken", versions: [] })
  expect((await versions.list(workerId, { account_id })).result).toEqual([])
  const status = await cloudflare.local("/local/status")
  expect(status).toMatchObject({ failed: [], workers: expect.arrayContaining([stored]) })
})

test("a binding is inherited from the version that is named, else from the newest", async () => {
  const { id: workerId } = await createWorker("heir")
  const { id: otherId } = await createWorker("other")
  const upload = (greeting: string, to = workerId) =>
    uploadVersion(to, { bindings: [{ type: "secret_text", name: "GREETING", text: greeting }] })
  const firstVersion = await upload("one")
  await upload("two")
  const foreign = await upload("foreign", otherId)
  const hostname = "heir.accounts.test"
  await client.workers.domains.update({ account_id, hostname, service: "heir" })
  const inherit = async (version_id?: string) => {
    const binding = {
      type: "inherit" as const,
      name: "GREETING",
      ...(version_id && { version_id }),
    }
    const { id } = await uploadVersion(workerId, { bindings: [binding] })
    await deployVersion("heir", id)
    return (await askEdge(cloudflare.edge, hostname, "/")).greeting
  }

  expect(await inherit()).toBe("two")
  expect(await inherit("latest")).toBe("two")
  expect(await inherit(firstVersion.id)).toBe("one")
  await expect(inherit(foreign.id)).rejects.toThrow("10057")
  await expect(inherit(crypto.randomUUID())).rejects.toThrow("10057")
})

test("limits and placement are kept and shown, and an omitted compatibility date stays omitted", async () => {
  const { id: worker_id } = await createWorker("placed")
  const upload = async (extraFields: object) => {
    const body = { ...workerOf("export default { fetch: () => new Response() }"), ...extraFields }
    const [, answer] = await send("POST", `/workers/workers/${worker_id}/versions`, body)
    return Answer.parse(answer).result
  }

  const plain = await upload({})
  expect(plain).not.toHaveProperty("compatibility_date")
  expect(plain).not.toHaveProperty("limits")
  const runtime = { limits: { cpu_ms: 50 }, placement: { mode: "smart" } }
  const placed = await upload(runtime)
  expect(placed).toMatchObject(runtime)
  const { versions } = client.workers.beta.workers
  expect(await versions.get(placed.id, { account_id, worker_id })).toMatchObject(runtime)
})

const Patched = z.object({
  result: z.looseObject({
    id: z.string(),
    annotations: z.record(z.string(), z.string()),
    bindings: z.array(z.looseObject({ name: z.string(), type: z.string() })),
  }),
})

test("a patch of the newest version inherits all that it leaves out, annotations included", async () => {
  const patched = async (method: string, path: string, body: unknown) =>
    Patched.parse((await send(method, path, body))[1]).result
  await send("POST", "/workers/workers", { name: "patched" })
  const versions = "/workers/workers/patched/versions"
  const text = (name: string) => ({ type: "plain_text", name, text: name })
  const uploaded = await patched("POST", versions, {
    ...workerOf(source),
    bindings: [text("ONE"), text("TWO")],
    compatibility_date: "2026-08-01",
    limits: { cpu_ms: 50 },
    annotations: { "workers/tag": "mine", "workers/message": "first" },
  })
  const copy = await patched("PATCH", `${versions}/latest`, {})
  const unchanged = {
    annotations: uploaded.annotations,
    bindings: uploaded.bindings,
    limits: { cpu_ms: 50 },
    compatibility_date: "2026-08-01",
  }
  expect(copy).toMatchObject(unchanged)
  expect(copy.id).not.toBe(uploaded.id)

  const env = {
    ONE: null,
    TWO: { type: "plain_text", text: "2" },
    NEW: { type: "secret_text", text: "3" },
  }
  const annotations = { "workers/message": "by hand" }
  const change = { env, annotations, limits: { subrequests: 5 } }
  const changed = await patched("PATCH", `${versions}/latest?deploy=true`, change)
  expect(changed).toMatchObject({ limits: { cpu_ms: 50, subrequests: 5 } })
  expect(changed.annotations).toMatchObject({ "workers/tag": "mine", "workers/message": "by hand" })
  expect(changed.bindings).toEqual([
    { type: "secret_text", name: "NEW" },
    { type: "plain_text", name: "TWO", text: "2" },
  ])
  const live = { versions: [{ version_id: changed.id, percentage: 100 }] }
  expect(await send("GET", "/workers/scripts/patched/deployments")).toMatchObject([
    200,
    { result: { deployments: [live] } },
  ])
})

test("the last 100 versions of a Worker can be deployed, and no earlier one", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "deployable-"))
  const state = openState(join(directory.path, "control.db"))
  const worker = newWorker("old", defaultSettings)
  insertWorker(state, worker)
  const ids = Array.from({ length: 101 }, () => randomUUID())
  for (const [index, id] of ids.entries()) {
    insertVersion(state, {
      id,
      worker_id: worker.id,
      number: index + 1,
      created_on: new Date(index).toISOString(),
      source: "api",
      main_module: "worker.js",
      modules: [],
      compatibility_date: "",
      compatibility_flags: [],
      bindings: [],
      annotations: {},
      startup_time_ms: 0,
      runtime: {},
    })
  }
  const [first = "", second = ""] = ids
  expect(listVersions(state, worker.id)).toHaveLength(101)
  expect(listDeployableVersions(state, worker.id).map(({ id }) => id)).toEqual(
    ids.slice(1).toReversed(),
  )
  expect(() => requireDeployable(state, worker, first)).toThrow(ApiError)
  expect(requireDeployable(state, worker, second)).toMatchObject({ number: 2 })
  state.close()
})

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

test("a binding that nothing here interprets is kept as it came, and a broken one refused", async () => {
  await createWorker("bound")
  const path = "/workers/workers/bound/versions"
  const upload = (...bindings: object[]) =>
    send("POST", path, { ...workerOf("export default { fetch() {} }"), bindings })

  const bound = Object.entries(foreign).map(([type, rest]) =>
    Object.assign({ type, name: type }, rest),
  )
  const { secret_key: _key, ...open } = foreign
  const openBindings = bound.filter(({ type }) => type in open)
  const [status, answer] = await upload(...bound)
  expect(status).toBe(200)
  const { bindings } = Created.parse(answer).result
  expect(bindings.filter(({ type }) => type in open)).toEqual(openBindings)
  expect(JSON.stringify(bindings)).not.toContain("eA==")
  const database_id = "00000000-0000-4000-8000-000000000000"
  const refused = [
    [{ type: "d1", name: "DB", database_id }, 10181, `'DB' references database '${database_id}'`],
    [{ type: "d1", name: "DB" }, 10021, "valid `id`"],
    [{ type: "kv_namespace", name: "PAIRS" }, 10001, "namespace_id"],
  ] as const
  for (const [binding, code, message] of refused) {
    const errors = [{ code, message: expect.stringContaining(message) }]
    expect(await upload(binding)).toMatchObject([400, { errors }])
  }
  const list = z.object({ result: z.array(z.unknown()) })
  expect(list.parse((await send("GET", path))[1]).result).toHaveLength(1)
})
