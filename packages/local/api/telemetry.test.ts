import { expect, test } from "vitest"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"

const code = `export default {
  async fetch({ url }) {
    const { pathname } = new URL(url)
    if (pathname === "/throw") throw new Error("uncaught")
    if (pathname === "/busy") {
      const key = await crypto.subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits"])
      const algorithm = { name: "PBKDF2", hash: "SHA-512", salt: new Uint8Array(16), iterations: 100_000 }
      for (let times = 0; times < 2; times += 1) await crypto.subtle.deriveBits(algorithm, key, 512)
    }
    return new Response("", { status: pathname === "/fail" ? 503 : 200 })
  },
}`

async function setUp(observability: object = { enabled: true, logs: { enabled: true } }) {
  const cloudflare = await startFaultServer()
  const { accountId: account_id } = cloudflare
  const site = await deploySite(cloudflare, "measured", code)
  await cloudflare.request(`/accounts/${account_id}/workers/workers/${site.workerId}`, {
    method: "PATCH",
    body: JSON.stringify({ observability }),
  })
  const from = Date.now()
  const params = (overrides: object = {}) => ({
    account_id,
    queryId: "test",
    timeframe: { from: from - 1000, to: from + 60_000 },
    view: "calculations" as const,
    ignoreSeries: true,
    limit: 100,
    parameters: {
      datasets: ["cloudflare-workers"],
      filters: [
        { key: "$metadata.service", operation: "eq", type: "string", value: "measured" },
        { key: "$metadata.type", operation: "eq", type: "string", value: "cf-worker-event" },
      ] as const,
      calculations: [
        { operator: "count", alias: "requests" },
        { operator: "avg", alias: "cpu", key: "$workers.cpuTimeMs", keyType: "number" },
      ] as const,
      groupBys: [{ type: "string", value: "$workers.event.request.path" } as const, outcome],
      ...overrides,
    },
  })
  const post = async (body: object) => {
    const path = `/accounts/${account_id}/workers/observability/telemetry/query`
    const { account_id: _, ...query } = { account_id, ...body }
    return cloudflare.request(path, { method: "POST", body: JSON.stringify(query) })
  }
  return {
    ...cloudflare,
    ...site,
    params,
    post,
    ask: (path: string) => askEdge(cloudflare.edge, site.host, path),
    /** Values by path and outcome, of both calculations. */
    query: async (overrides: object = {}) => {
      const { parameters, ...rest } = params(overrides)
      const { observability: api } = site.client.workers
      const sentParameters = { ...parameters, filters: [...parameters.filters] }
      const ungrouped = {
        calculations: [...parameters.calculations],
        groupBys: parameters.groupBys,
      }
      const { calculations = [] } = await api.telemetry.query({
        ...rest,
        parameters: { ...sentParameters, ...ungrouped },
      })
      return Object.fromEntries(
        calculations.map(({ alias = "", aggregates }) => [
          alias,
          Object.fromEntries(
            aggregates.map(({ value, groups = [] }) => [
              groups.map((group) => String(group.value)).join(" "),
              value,
            ]),
          ),
        ]),
      )
    },
  }
}

const outcome = { type: "string", value: "$workers.outcome" } as const

test("what Workers Logs keep of requests is counted by groups", async () => {
  await using cloudflare = await setUp()
  const { ask, query } = cloudflare
  expect(await query()).toEqual({ requests: {}, cpu: {} })
  await ask("/fine")
  for (const path of ["/fine", "/busy", "/fail", "/throw", "/throw"]) await ask(path)
  const { requests, cpu } = await query()
  expect(requests).toEqual({ "/fine ok": 2, "/busy ok": 1, "/fail ok": 1, "/throw exception": 2 })
  // Processor time of its own process: no load of the machine makes 200,000 rounds of SHA-512 take less.
  expect(cpu?.["/busy ok"]).toBeGreaterThan(20)

  const status = { key: "$workers.event.response.status", type: "number", value: 500 } as const
  const failed = { ...status, operation: "gte" } as const
  const fine = { key: "$workers.outcome", operation: "eq", type: "string", value: "ok" } as const
  expect((await query({ filters: [failed, fine] })).requests).toEqual({ "/fail ok": 1 })
  const otherFilter = {
    ...fine,
    key: "$metadata.service",
    operation: "neq",
    value: "measured",
  } as const
  expect((await query({ filters: [otherFilter] })).requests).toEqual({})
})

test("a query that is not understood is refused, and so is a token without the permission", async () => {
  await using cloudflare = await setUp()
  const { post, params, query } = cloudflare
  const wrong = async (body: object) => {
    const response = await post(body)
    return `${response.status} ${await response.text()}`
  }
  const { account_id: _, ...withoutAccount } = params()
  expect((await post(withoutAccount)).status).toBe(200)
  expect(await wrong({ ...withoutAccount, colour: "red" })).toMatch(/^400 .*colour/)
  expect(await wrong({ ...withoutAccount, timeframe: { from: 2, to: 1 } })).toMatch(
    /^400 .*earlier/,
  )
  const unknown = [{ type: "string", value: "$workers.missing" }]
  expect(
    await wrong({
      ...withoutAccount,
      parameters: { ...withoutAccount.parameters, groupBys: unknown },
    }),
  ).toMatch(/^400 /)
  await cloudflare.local("/local/settings", { missingPermissions: ["Workers Observability"] })
  await expect(query()).rejects.toThrow(/403.*10000/s)
})

test("logs come late, are sampled, or are not kept, as the Worker's settings have it", async () => {
  await using cloudflare = await setUp({
    enabled: true,
    logs: { enabled: true, head_sampling_rate: 0.5 },
  })
  const { ask, query, local } = cloudflare
  await Promise.all(Array.from({ length: 200 }, () => ask("/fine")))
  const { requests } = await query()
  // Each of those that are kept stands for two.
  expect((requests?.["/fine ok"] ?? 0) % 2).toBe(0)
  expect(requests?.["/fine ok"]).toBeGreaterThan(100)
  expect(requests?.["/fine ok"]).toBeLessThan(300)
  await local("/local/settings", { logDelayMs: 60_000 })
  expect((await query()).requests).toEqual({})

  await using silent = await setUp({ enabled: true, logs: { enabled: false } })
  await silent.ask("/fine")
  expect((await silent.query()).requests).toEqual({})
})
