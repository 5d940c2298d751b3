import { Agent, request } from "node:http"
import { text as readText } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { createPropagation } from "./machines.ts"

test("changes take effect after the delay, in order, and never go back", async () => {
  const seen: string[] = []
  let wait = 80
  const table = createPropagation({
    first: "a",
    delay: () => wait,
    onChange: () => seen.push(table.pending().join("")),
  })
  table.publish("b")
  wait = 0
  table.publish("c")
  expect(table.current()).toBe("c")
  await sleep(150)
  expect(table.current()).toBe("c")
  expect(seen).toEqual(["ab", "c"])

  wait = 30
  table.publish("d")
  table.publish("e")
  expect(table.current()).toBe("c")
  expect(table.pending().join("")).toBe("cde")
  await sleep(100)
  expect(table.pending()).toEqual(["e"])
  table.publish("f")
  table.stop()
  await sleep(60)
  expect(table.current()).toBe("e")
})

test("until a deployment propagates the edge serves the old version, despite override headers", async () => {
  await using cloudflare = await startFaultServer()
  const site = await deploySite(cloudflare, "spreading")
  const second = await site.upload()

  const ask = (versionId: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        host: site.host,
        "user-agent": "accounts-tests",
        "cloudflare-workers-version-overrides": `spreading="${versionId}"`,
      }
      const sent = request(cloudflare.edge, { headers }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => resolve(text))
      })
      sent.on("error", reject).end()
    })
  expect(await ask(second)).toBe(site.versionId)

  await cloudflare.local("/local/settings", { propagationMs: 600_000 })
  await site.client.workers.scripts.deployments.create("spreading", {
    account_id: cloudflare.accountId,
    strategy: "percentage",
    versions: [
      { version_id: site.versionId, percentage: 100 },
      { version_id: second, percentage: 0 },
    ],
  })
  expect(await ask(second)).toBe(site.versionId)
  await site.deploy(second)
  expect(await ask(second)).toBe(site.versionId)

  await cloudflare.local("/local/settings", { propagationMs: 300 })
  await site.deploy(second)
  await expect.poll(() => ask("")).toBe(second)
  expect(await ask(site.versionId)).toBe(second)
})

/** For polls that send many requests each time. */
const seldom = { interval: 250 }

test("each connection meets one machine of the edge, some of which are late", async () => {
  await using cloudflare = await startFaultServer()
  const site = await deploySite(cloudflare, "machines")
  const second = await site.upload()
  const third = await site.upload()
  await cloudflare.local("/local/settings", { machines: { count: 8, spreadMs: 8000, seed: 4 } })
  using connections = openConnections(cloudflare.edge, 24)
  const askAll = (wanted: string) =>
    connections.ask({
      host: site.host,
      "cloudflare-workers-version-overrides": `machines="${wanted}"`,
    })
  expect(new Set(await askAll(""))).toEqual(new Set([site.versionId]))

  await site.client.workers.scripts.deployments.create("machines", {
    account_id: cloudflare.accountId,
    strategy: "percentage",
    versions: [
      { version_id: site.versionId, percentage: 100 },
      { version_id: second, percentage: 0 },
    ],
  })
  const rounds: string[][] = []
  const versionsOf = (answers: string[]) => new Set(answers).size
  await expect
    .poll(async () => {
      rounds.push(await askAll(second))
      return rounds.at(-1)
    }, seldom)
    .toEqual(Array.from({ length: 24 }, () => second))
  expect(Math.max(...rounds.map(versionsOf))).toBe(2)
  for (const connection of Array.from({ length: 24 }).keys()) {
    const answers = rounds.map((round) => (round[connection] === second ? "n" : "o")).join("")
    expect(answers).toMatch(/^o*n+$/)
  }

  await site.deploy(third)
  await expect.poll(async () => versionsOf(await askAll(""))).toBe(2)
  await expect.poll(() => askAll(""), seldom).toEqual(Array.from({ length: 24 }, () => third))
  expect(connections.opened()).toBe(24)
})

/** Connections that stay open, one for each agent. */
function openConnections(edge: string, count: number) {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const sockets = new Set<unknown>()
  const ask = (agent: Agent, headers: Record<string, string>) =>
    new Promise<string>((resolve, reject) => {
      const named = { "user-agent": "accounts-tests", ...headers }
      const sent = request(edge, { agent, headers: named }, (answer) => {
        readText(answer).then(resolve, reject)
      })
      sent.on("socket", (socket) => sockets.add(socket))
      sent.on("error", reject).end()
    })
  return {
    ask: (headers: Record<string, string>) =>
      Promise.all(agents.map((agent) => ask(agent, headers))),
    opened: () => sockets.size,
    [Symbol.dispose]() {
      for (const agent of agents) agent.destroy()
    },
  }
}
