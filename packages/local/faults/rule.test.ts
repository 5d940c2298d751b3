import { afterAll, beforeEach, expect, test } from "vitest"

import { createFaults } from "./faults.ts"
import { Rule } from "./rule.ts"
import { seededRandom } from "./seeded-random.ts"
import { startFaultServer } from "./testing/fault-server.ts"

const cloudflare = await startFaultServer()
afterAll(() => cloudflare[Symbol.asyncDispose]())
beforeEach(() => cloudflare.inject())

function zones() {
  return cloudflare.request("/zones")
}
const failing = { type: "status", status: 500 }

test("a rule can hit the second and third request of one client only", async () => {
  await cloudflare.inject({
    name: "second",
    match: { surface: "api", method: "GET", path: "*/zones", client: "tester/*" },
    when: { nth: 2, times: 2 },
    action: failing,
  })
  const ask = async (client: string) =>
    (await cloudflare.request("/zones", { headers: { "user-agent": client } })).status
  expect(await ask("other/1")).toBe(200)
  const statuses: number[] = []
  for (let request = 0; request < 4; request += 1) statuses.push(await ask("tester/1"))
  expect(statuses).toEqual([200, 500, 500, 200])
  expect(await cloudflare.rules()).toMatchObject([{ name: "second", seen: 4, fired: 2 }])
})

test("every injected fault appears in the log, the events and the status", async () => {
  const stop = new AbortController()
  const events = await fetch(new URL("/local/events", cloudflare.api), {
    headers: { authorization: `Bearer ${cloudflare.token}` },
    signal: stop.signal,
  })
  await cloudflare.inject({ name: "shown", match: { surface: "api" }, action: failing })
  await cloudflare.request("/zones", { headers: { "user-agent": "tester/1" } })
  const fault = {
    rule: "shown",
    action: "status",
    surface: "api",
    method: "GET",
    path: "/client/v4/zones",
    userAgent: "tester/1",
  }
  expect(await cloudflare.log()).toContainEqual(
    expect.objectContaining({ event: "fault", ...fault }),
  )
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toMatch(/event: fault\ndata: .*"rule":"shown"/)
  stop.abort()
  expect(await cloudflare.local("/local/status")).toMatchObject({
    faults: [{ name: "shown", fired: 1 }],
  })
})

test("fault rules can be added, removed and cleared", async () => {
  const add = (name: string) =>
    cloudflare.local("/local/faults", { name, match: { surface: "api" }, action: failing }, "POST")
  const remove = (path: string) => cloudflare.local(`/local/${path}`, undefined, "DELETE")
  await add("a")
  await add("b")
  await expect(add("b")).rejects.toThrow("A rule named b already exists")
  await remove("faults/a")
  await expect(remove("faults/a")).rejects.toThrow("No rule is named a; the rules are: b")
  await remove("faults")
  expect((await zones()).status).toBe(200)
})

test.each([
  [{ match: { surface: "moon" }, action: failing }, "rules.0.match.surface: Invalid option"],
  [
    { match: { surface: "edge" }, action: { type: "d1-error", error: "Network connection lost." } },
    'rules.0.action.type: "d1-error" is not available on the surface edge; choose one of status, delay',
  ],
  [
    { match: { surface: "d1", path: "*" }, action: { type: "hang" } },
    "rules.0.match.path: the surface d1 has no path; it matches by contains, database",
  ],
  [
    { match: { surface: "api" }, when: { probability: 0.5 }, action: failing },
    "rules.0.when: probability and seed go together",
  ],
  [
    { match: { surface: "api" }, action: { ...failing, colour: 1 } },
    'rules.0.action: Unrecognized key: "colour"',
  ],
])("an invalid rule is rejected with an error that names the key: %j", async (rule, message) => {
  await expect(cloudflare.inject(rule)).rejects.toThrow(JSON.stringify(message).slice(1, -1))
  expect(await cloudflare.rules()).toEqual([])
})

test("fault rules can't be changed without the token", async () => {
  const answer = await fetch(new URL("/local/faults", cloudflare.api), {
    method: "PUT",
    body: JSON.stringify({ rules: [] }),
  })
  expect(answer.status).toBe(400)
})

/** The indexes of the requests, out of 400, that a rule with this seed hits. */
async function requestsHit(seed: number): Promise<number[]> {
  const faults = createFaults({ record: () => {} })
  const when = { probability: 0.1, seed }
  faults.add(Rule.parse({ match: { surface: "api" }, when, action: { type: "hang" } }))
  const hit: number[] = []
  for (let request = 0; request < 400; request += 1) {
    if ((await faults.find({ surface: "api" })) !== undefined) hit.push(request)
  }
  return hit
}

test("the same seed hits the same requests, another seed different ones", async () => {
  const first = await requestsHit(7)
  expect(first.length).toBeGreaterThan(20)
  expect(first.length).toBeLessThan(60)
  expect(await requestsHit(7)).toEqual(first)
  expect(await requestsHit(8)).not.toEqual(first)
})

test("seeded random numbers are uniform", () => {
  const random = seededRandom(1)
  const counts = Array.from({ length: 10 }, () => 0)
  for (let draw = 0; draw < 10_000; draw += 1) {
    const bucket = Math.floor(random() * 10)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  expect(Math.min(...counts)).toBeGreaterThan(850)
  expect(Math.max(...counts)).toBeLessThan(1150)
})
