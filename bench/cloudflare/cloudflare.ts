import { findProcess } from "@accounts/local/process-table"

import { markdownTable } from "../../infra/markdown-table.ts"
import { compare, type Comparison } from "../compare.ts"
import { describe, median, sideBySide } from "../measure.ts"
import { processorTimeOf, workerdsOf } from "../processor-time.ts"
import { publish, say, startFacts } from "../report.ts"
import { openWorkerdAlone } from "./bench-worker.ts"
import { openFleet } from "./fleet.ts"

type Fleet = Awaited<ReturnType<typeof openFleet>>

const sizes = [1, 10, 30]

/** Compares requests, memory and releases of a local Cloudflare with workerd alone. */
export async function benchCloudflare({ rounds, write }: { rounds: number; write?: boolean }) {
  const factsUntilNow = startFacts()
  await using fleet = await openFleet()
  const rates = await measureRequests(fleet, rounds)
  const growth: string[][] = []
  for (const size of sizes) growth.push(await measureSize(fleet, size, rounds))
  const columns = ["live Workers", "control plane, MiB", "storage, MiB", "a live version, MiB"]
  const times = ["workerd alone answers, s", "a release answers, s", "ready again, s"]
  const table = markdownTable([...columns, ...times], growth)
  const measured = `${factsUntilNow()}; rounds: ${rounds}.\n\n${rates}\n\n${table}`
  publish({ part: "cloudflare", measured, write })
}

async function measureRequests(fleet: Fleet, rounds: number): Promise<string> {
  await using alone = await openWorkerdAlone()
  const { edge, edgeTls } = fleet.cloudflare
  const { host } = await fleet.grow(1)
  const processes = Object.values(await fleet.processes()).flat()
  const processorTime = () => processorTimeOf(processes)
  const connections = 10
  const comparison = (request: string, path: string, requests: number): Comparison => ({
    request,
    requests,
    ways: [
      {
        title: "workerd alone",
        call: { url: alone.address + path, headers: {}, connections },
        processorTime: () => processorTimeOf(workerdsOf("self")),
      },
      {
        title: "the edge, HTTP",
        call: { url: edge + path, headers: { host }, connections },
        processorTime,
      },
      {
        title: "the edge, HTTPS",
        call: { url: edgeTls + path, headers: { host }, connections, servername: host },
        processorTime,
      },
    ],
  })
  const text = comparison("a text", "/", 3000)
  const query = comparison("one query of D1", "/query", 1000)
  return markdownTable(...(await compare([text, query], rounds, "workerd alone")))
}

/** A row: memory, and how long a release and a start take, with so many live Workers. */
async function measureSize(fleet: Fleet, size: number, rounds: number): Promise<string[]> {
  const first = await fleet.grow(size)
  // A restart drops the previous versions, which would otherwise stay warm for a while.
  await fleet.restart()
  const memory = Object.values(await fleet.processes()).map((pids) =>
    median(pids.map((pid) => (findProcess(pid)?.residentBytes ?? Number.NaN) / 2 ** 20)).toFixed(0),
  )
  await using opened = new AsyncDisposableStack()
  const samples = await sideBySide(rounds, {
    alone: async () => {
      const alone = opened.use(await openWorkerdAlone())
      await (await fetch(alone.address)).text()
    },
    release: () => fleet.release(first),
    restart: () => fleet.restart(),
  })
  const seconds = [...samples.values()].map((sample) => describe(sample.map((ms) => ms / 1000)))
  const row = [String(size), ...memory, ...seconds]
  say(row.join(", "))
  return row
}
