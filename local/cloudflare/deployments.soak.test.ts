import { expect, test } from "vitest"
import * as z from "zod"

import { findProcess } from "./plane/process-table.ts"
import { until } from "./plane/testing/test-plane.ts"
import { askEdge } from "./testing/edge.ts"
import { localCloudflare } from "./testing/process.ts"
import { report } from "./testing/report.ts"
import { createWorker, deployVersion, uploadVersion } from "./testing/worker.ts"

const deployments = process.env["SOAK_BUDGET"] === "full" ? 100 : 20
const clients = 4

/** Storage, the live version, and the three used last that stay warm. */
const mostProcesses = 5

const Status = z.object({ processes: z.array(z.object({ residentBytes: z.number() })) })

test(`${deployments} deployments in a row under load: no request fails and memory stays flat`, async () => {
  await using cloudflare = await localCloudflare()
  const { accountId, edge } = cloudflare
  const client = await cloudflare.client()
  const { uuid = "" } = await client.d1.database.create({ account_id: accountId, name: "busy" })
  const sql = "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept')"
  await client.d1.database.query(uuid, { account_id: accountId, sql })
  const { id: workerId } = await createWorker(client, accountId, "busy")
  async function deploy() {
    const bindings = [{ type: "d1" as const, name: "DB", database_id: uuid }]
    const { id: versionId } = await uploadVersion(client, { workerId, accountId, bindings })
    await deployVersion(client, { accountId, script: "busy", versionId })
    return versionId
  }
  const known = new Set([await deploy()])
  const host = "busy.accounts.test"
  await client.workers.domains.update({ account_id: accountId, hostname: host, service: "busy" })

  const failures: string[] = []
  const seen = new Set<string>()
  let requests = 0
  const stop = new AbortController()
  const load = Array.from({ length: clients }, async (_, number) => {
    while (!stop.signal.aborted) {
      const path = (requests + number) % 2 === 0 ? "/" : "/rows"
      const { status, text } = await askEdge(edge, host, path)
      requests += 1
      if (path === "/") seen.add(text)
      if (status !== 200) failures.push(`${status} ${text}`)
    }
  })

  async function residentBytes() {
    const { processes } = Status.parse(
      await (await cloudflare.request("/../../local/status")).json(),
    )
    expect(processes.length).toBeLessThanOrEqual(mostProcesses)
    const own = findProcess(cloudflare.pid)?.residentBytes ?? 0
    return processes.reduce((sum, row) => sum + row.residentBytes, own)
  }
  const memory: number[] = []
  for (let round = 1; round <= deployments; round += 1) {
    const version = await deploy()
    known.add(version)
    await until(() => seen.has(version))
    memory.push(await residentBytes())
  }
  stop.abort()
  await Promise.all(load)

  expect(failures).toEqual([])
  expect([...seen].filter((version) => !known.has(version))).toEqual([])
  // The first quarter fills what stays warm.
  const quarter = Math.floor(deployments / 4)
  const early = median(memory.slice(quarter, 2 * quarter))
  const late = median(memory.slice(-quarter))
  report(
    `${deployments} deployments, ${requests} requests, 0 failed; resident ${mebibytes(early)} MiB early, ${mebibytes(late)} MiB late`,
  )
  expect(late / early).toBeLessThan(1.15)
})

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20)
