import { Agent, request } from "node:http"
import { text as readText } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test, onTestFinished, vi } from "vitest"

import { createSettings } from "../faults/settings.ts"
import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { createPropagation, createMachines } from "./machines.ts"

test("changes take effect after the delay, in order, and never go back", async () => {
  const answers: string[] = []
  let wait = 80
  const table = createPropagation({
    first: "a",
    delay: () => wait,
    onChange: () => answers.push(table.pending().join("")),
  })
  table.publish("b")
  wait = 0
  table.publish("c")
  expect(table.current()).toBe("c")
  await sleep(150)
  expect(table.current()).toBe("c")
  expect(answers).toEqual(["ab", "c"])

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
      const outgoing = request(cloudflare.edge, { headers }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => resolve(text))
      })
      outgoing.on("error", reject).end()
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
  const askAll = (versionId: string) =>
    connections.ask({
      host: site.host,
      "cloudflare-workers-version-overrides": `machines="${versionId}"`,
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
      const sentHeaders = { "user-agent": "accounts-tests", ...headers }
      const pending = request(edge, { agent, headers: sentHeaders }, (answer) => {
        readText(answer).then(resolve, reject)
      })
      pending.on("socket", (socket) => sockets.add(socket))
      pending.on("error", reject).end()
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

/** Reads 40 connections each second while "new" replaces "old"; returns their first letters per second. */
function watch(seed: number): string[] {
  const settings = createSettings({ machines: { count: 8, spreadMs: 5000, seed } })
  const machines = createMachines({ first: "old", settings, onChange: () => {} })
  const connections = Array.from({ length: 40 }, () => ({}))
  machines.publish("new")
  const seconds = Array.from({ length: 6 }, () => {
    const answers = connections.map((connection) => machines.read(connection).slice(0, 1))
    vi.advanceTimersByTime(1000)
    return answers.join("")
  })
  machines.stop()
  return seconds
}

test("machines take up a change one by one, and a connection never goes back", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const seconds = watch(1)
  expect(seconds[0]).toBe("o".repeat(40))
  expect(seconds[5]).toBe("n".repeat(40))
  expect(seconds.filter((answers) => /o.*n|n.*o/.test(answers)).length).toBeGreaterThan(1)
  for (let connection = 0; connection < 40; connection += 1) {
    expect(seconds.map((answers) => answers[connection]).join("")).toMatch(/^o+n+$/)
  }
})

test("the seed alone decides which machines are late, and who reaches them", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  expect(watch(7)).toEqual(watch(7))
  expect(watch(7)).not.toEqual(watch(8))
})

test("what any machine still serves is held, and a machine never goes back to an older change", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const settings = createSettings({ machines: { count: 2, spreadMs: 60_000, seed: 3 } })
  const machines = createMachines({ first: "a", settings, onChange: () => {} })
  const connection = {}
  machines.publish("b")
  expect(machines.values()).toEqual(["a", "b"])
  expect(machines.read(connection)).toBe("a")
  settings.change({ machines: { count: 3, spreadMs: 0, seed: 3 } })
  machines.publish("c")
  expect(machines.values()).toEqual(["c"])
  vi.advanceTimersByTime(60_000)
  expect(
    [connection, {}, {}, {}, {}].map((connectionOf) => machines.read(connectionOf)).join(""),
  ).toBe("ccccc")
  machines.stop()
})
