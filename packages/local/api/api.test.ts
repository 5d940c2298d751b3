import { randomBytes } from "node:crypto"
import { request } from "node:http"
import { json } from "node:stream/consumers"

import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { openTestAccount } from "../cloudflare/testing/test-account.ts"
import { source, workerOf } from "../cloudflare/testing/worker.ts"

const { cloudflare, account_id, client, createWorker, send, uploadVersion, deployVersion } =
  await openTestAccount()

/** `fetch` can't set the Host header. */
function askWith(api: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const hangingRequest = request(`${api}/zones`, { headers }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    })
    hangingRequest.on("error", reject)
    hangingRequest.end()
  })
}

function errorOf(errorCode: number) {
  return expect.objectContaining({
    success: false,
    result: null,
    errors: [expect.objectContaining({ code: errorCode })],
  })
}

test("the API needs the state directory's token, listens on loopback and refuses web pages", async () => {
  const { api } = cloudflare
  const authorization = `Bearer ${cloudflare.token}`
  const { port } = new URL(api)

  expect(await askWith(api, { authorization })).toMatchObject({ status: 200 })
  expect(await askWith(api, { authorization, host: `localhost:${port}` })).toMatchObject({
    status: 200,
  })

  expect(await askWith(api, {})).toEqual({ status: 400, body: errorOf(9106) })
  expect(await askWith(api, { authorization: "Basic abc" })).toEqual({
    status: 400,
    body: errorOf(6003),
  })
  expect(await askWith(api, { authorization: "Bearer wrong" })).toEqual({
    status: 403,
    body: errorOf(9109),
  })
  for (const host of [
    "evil.test",
    `evil.test:${port}`,
    "127.0.0.1.evil.test",
    "localhost.evil.test",
  ]) {
    expect(await askWith(api, { authorization, host })).toEqual({
      status: 403,
      body: errorOf(6003),
    })
  }
  const ownOrigins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  for (const origin of ["https://evil.test", "http://localhost:3000", "null", "", ...ownOrigins]) {
    expect(await askWith(api, { authorization, origin })).toEqual({
      status: 403,
      body: errorOf(6003),
    })
  }
})

test("the token opens one account, and the local routes need it too", async () => {
  const foreign = await cloudflare.request(`/accounts/${"0".repeat(32)}/d1/database`)
  expect([foreign.status, await foreign.json()]).toEqual([403, errorOf(10000)])

  const local = new URL("/local/status", cloudflare.api)
  expect((await fetch(local)).status).toBe(400)
  const authorization = `Bearer ${cloudflare.token}`
  const status = await fetch(local, { headers: { authorization } })
  expect(await status.json()).toMatchObject({ pid: process.pid, databases: [], workers: [] })
})

test("a client finds its token and the account's name under workers.dev, which a setting takes away", async () => {
  expect(await client.user.tokens.verify()).toMatchObject({ status: "active" })
  expect(await client.workers.subdomains.get({ account_id })).toEqual({
    subdomain: "accounts-local",
  })
  await cloudflare.local("/local/settings", { subdomain: null })
  await expect(client.workers.subdomains.get({ account_id })).rejects.toThrow(/404.*10007/s)
  await cloudflare.local("/local/settings", { subdomain: "accounts-local" })
})

test("on the Free plan a version has at most 3 MiB and no limits of its own", async () => {
  const { id: workerId } = await createWorker("free")
  const noise = randomBytes(3.2 * 1024 * 1024).toString("base64")
  const upload = async (code: string, extraFields: object = {}) => {
    const body = { ...workerOf(code), ...extraFields }
    const [, answer] = await send("POST", `/workers/workers/${workerId}/versions`, body)
    return answer
  }
  const large = `${source}\n// ${noise}`
  const plan = (name: string) => cloudflare.local("/local/settings", { plan: name })
  expect(await upload(large)).toMatchObject({ success: true })
  await plan("free")
  expect(await upload(large)).toMatchObject({
    errors: [{ code: 10_027, message: expect.stringContaining("the size limit of 3 MiB") }],
  })
  expect(await upload(source, { limits: { cpu_ms: 50 } })).toMatchObject({
    errors: [{ code: 100_328, message: "CPU limits are not supported for the Free plan." }],
  })
  await uploadVersion(workerId)
  await plan("paid")
})

test("a Worker returns its observability settings in full", async () => {
  await createWorker("observed")
  const observability = {
    enabled: true,
    head_sampling_rate: 0.25,
    logs: {
      enabled: true,
      head_sampling_rate: 0.5,
      invocation_logs: false,
      persist: true,
      destinations: ["elsewhere"],
    },
    traces: { enabled: true, head_sampling_rate: 0, persist: false, destinations: [] },
  }
  const { workers } = client.workers.beta
  await workers.update("observed", { account_id, name: "observed", observability })
  const observed = await workers.get("observed", { account_id })
  expect(observed.observability).toEqual(observability)
})

test("propagation_policy needs the account feature, and answers lack it without", async () => {
  await createWorker("traced")
  const policy = { enabled: true, traces: { propagation_policy: "accept" as const } }
  const change = { account_id, observability: policy }
  const { workers } = client.workers.beta
  const refused = /^403 .*100342.*propagation_policy requires the trace propagation feature/
  await expect(workers.create({ ...change, name: "another" })).rejects.toThrow(refused)
  const update = (changes: object = {}) =>
    workers.update("traced", { ...change, name: "traced", ...changes })
  await expect(update()).rejects.toThrow(refused)
  const patched = await send("PATCH", "/workers/workers/traced", { observability: policy })
  expect(patched).toMatchObject([403, { errors: [{ code: 100_342 }] }])
  const readWorker = async () => {
    return (await workers.get("traced", { account_id })).observability.traces
  }
  expect(await readWorker()).not.toHaveProperty("propagation_policy")

  await cloudflare.local("/local/settings", { features: ["trace_propagation"] })
  expect(await readWorker()).toMatchObject({ propagation_policy: "authenticated" })
  await update()
  expect(await readWorker()).toMatchObject({ propagation_policy: "accept" })

  await cloudflare.local("/local/settings", { features: [] })
  // A provider whose state is older than the fault sends an update without the policy.
  await update({ tags: ["new"] })
  const otherTelemetry = { enabled: true, traces: { propagation_policy: "authenticated" as const } }
  await expect(update({ observability: otherTelemetry })).rejects.toThrow(refused)
})

test("the key service opens what it sealed, for programs of this machine without a token, and for no web page", async () => {
  const ask = async (action: string, body: object, headers: Record<string, string> = {}) => {
    const url = new URL(`/local/key-service/v1/transit/${action}`, cloudflare.api)
    const answer = await fetch(url, { method: "PUT", body: JSON.stringify(body), headers })
    return { status: answer.status, body: await answer.json() }
  }
  const plaintext = Buffer.from("a data key").toString("base64")
  const ciphertext = `vault:v1:${plaintext}`

  expect(await ask("encrypt/local", { plaintext })).toEqual({
    status: 200,
    body: { data: { ciphertext } },
  })
  expect(await ask("decrypt/local", { ciphertext })).toEqual({
    status: 200,
    body: { data: { plaintext } },
  })
  expect(await ask("decrypt/local", { ciphertext: "vault:v2:?" })).toMatchObject({ status: 400 })
  const foreign = { origin: "https://evil.test" }
  expect(await ask("decrypt/local", { ciphertext }, foreign)).toMatchObject({ status: 403 })
  // Any other route below it is one of those that need the token.
  expect(await ask("decrypt/production", { ciphertext })).toMatchObject({ status: 400 })
})

const zone_id = "7a6f6e656163636f756e747300000001"

test("a route without a Worker turns Workers off for its path, however it lost its Worker", async () => {
  const worker = await createWorker("routed")
  const { id } = await uploadVersion(worker.id)
  await deployVersion("routed", id)
  const everywhere = await client.workers.routes.create({
    zone_id,
    pattern: "*.accounts.test/*",
    script: "routed",
  })
  const narrow = "www.accounts.test/static/*"
  const route = await client.workers.routes.create({ zone_id, pattern: narrow, script: "routed" })
  const ask = async (path: string) =>
    (await askEdge(cloudflare.edge, "www.accounts.test", path)).status
  expect([await ask("/static/x"), await ask("/")]).toEqual([200, 200])

  const put = async (body: unknown) => {
    const init = { method: "PUT", body: JSON.stringify(body) }
    return (await cloudflare.request(`/zones/${zone_id}/workers/routes/${route.id}`, init)).json()
  }
  for (const body of [{ pattern: narrow, script: null }, { pattern: narrow }]) {
    await client.workers.routes.update(route.id, { zone_id, pattern: narrow, script: "routed" })
    expect(await ask("/static/x")).toBe(200)
    expect(await put(body)).toMatchObject({ result: { pattern: narrow } })
    expect([await ask("/static/x"), await ask("/")]).toEqual([404, 200])
    expect(await client.workers.routes.get(route.id, { zone_id })).toEqual({
      id: route.id,
      pattern: narrow,
    })
  }
  expect(await put({ pattern: narrow, script: "missing" })).toMatchObject({
    errors: [{ code: 10007 }],
  })
  await client.workers.routes.delete(route.id, { zone_id })
  expect(await ask("/static/x")).toBe(200)
  await client.workers.routes.delete(everywhere.id, { zone_id })
  expect(await ask("/")).toBe(404)
})

test("a route pattern that Cloudflare does not understand is refused with its own text", async () => {
  await createWorker("refused")
  const wildcards =
    "may only contain wildcards at the beginning of the hostname and the end of the path"
  const refused = {
    "a.accounts.test/*/y": wildcards,
    "a.accounts.test/*.jpg": wildcards,
    "a.*.accounts.test/": wildcards,
    "a.accounts.test*": wildcards,
    "a.accounts.test/?a=*": "should not have query parameters",
    "a.accounts.test/#top": "Could not understand route pattern",
    "12 a.accounts.test/": "Could not understand route pattern",
    "": "pattern",
    "elsewhere.test/*": "must include zone name",
    "a.localhost/*": "must include zone name",
  }
  for (const [pattern, message] of Object.entries(refused)) {
    const creation = client.workers.routes.create({ zone_id, pattern, script: "refused" })
    await expect(creation).rejects.toThrow(message)
    if (pattern === "") continue
    await expect(creation).rejects.toThrow(/^400 .*10022/)
  }
  const accepted = [
    "*accounts.test/*",
    "https://*.accounts.test/a*",
    "a.accounts.test",
    "accounts.test/a",
  ]
  for (const pattern of accepted) {
    await client.workers.routes.create({ zone_id, pattern, script: "refused" })
  }
  expect(await Array.fromAsync(client.workers.routes.list({ zone_id }))).toHaveLength(4)
})
