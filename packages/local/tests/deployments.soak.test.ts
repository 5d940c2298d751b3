import { readdirSync } from "node:fs"
import process from "node:process"

import { expect, test, vi } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { heldMemory } from "../cloudflare/testing/held-memory.ts"
import { localCloudflareProcess } from "../cloudflare/testing/local-cloudflare.ts"
import { printFigure } from "../cloudflare/testing/print-figure.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"
import { findProcess } from "../plane/child-processes.ts"
import { until } from "../plane/testing/test-plane.ts"

const deployments = process.env["SOAK_BUDGET"] === "full" ? 100 : 30
/** Without load, because each request adds to the storage's memory up to a distant limit. */
const quietDeployments = 10
const clients = 4
/** Fills the request log in memory and lets V8 compile the control plane. */
const warmUp = { deployments: 10, requests: 1200 }

/** Storage, the live version, and the three versions used last, which stay warm. */
const maxProcesses = 5

/**
 * Bytes that one deployment may leave behind. A leak of one stopped version costs 30 to 45 KiB in the
 * control plane.
 */
const limits = { held: 32 * 1024, storage: 512 * 1024 }

test(`${deployments} deployments in a row under load: no request fails and memory stays flat`, async () => {
  vi.stubEnv("NODE_OPTIONS", "--inspect=127.0.0.1:0")
  await using cloudflare = await localCloudflareProcess()
  vi.unstubAllEnvs()
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
  const versionIds = new Set([await deploy()])
  const host = "busy.accounts.test"
  await client.workers.domains.update({ account_id: accountId, hostname: host, service: "busy" })

  const failures: string[] = []
  const answeredIds = new Set<string>()
  let requests = 0
  async function underLoad(work: () => Promise<void>) {
    const stop = new AbortController()
    const load = Array.from({ length: clients }, async (_, number) => {
      // Each client alternates by itself: with a shared count, clients in step would all request rows.
      for (let turn = number; !stop.signal.aborted; turn += 1) {
        const path = turn % 2 === 0 ? "/" : "/rows"
        const { status, text } = await askEdge(edge, host, path)
        requests += 1
        if (path === "/") answeredIds.add(text)
        if (status !== 200) failures.push(`${status} ${text}`)
      }
    })
    await work().finally(() => stop.abort())
    await Promise.all(load)
  }

  async function processes() {
    const response = await cloudflare.request("/../../local/status")
    return Status.parse(await response.json()).processes
  }
  /** Memory and descriptors without load. */
  async function measure() {
    await until(async () => (await processes()).length === maxProcesses)
    const storage = (await processes()).find(({ name }) => name === "storage")?.pid ?? 0
    return {
      held: await heldMemory(cloudflare.stderr()),
      storage: findProcess(storage)?.residentBytes ?? 0,
      descriptors: () => descriptorsOf(cloudflare.pid) + descriptorsOf(storage),
    }
  }

  async function deployQuietly() {
    versionIds.add(await deploy())
    expect((await askEdge(edge, host, "/rows")).status).toBe(200)
  }

  async function deployAndSee(count: number) {
    for (let round = 1; round <= count; round += 1) {
      const version = await deploy()
      versionIds.add(version)
      await until(() => answeredIds.has(version))
      // A replaced process may still be about to exit.
      expect((await processes()).length).toBeLessThanOrEqual(maxProcesses + 1)
    }
  }

  for (let filled = 1; filled < maxProcesses; filled += 1) await deployQuietly()
  const open = (await measure()).descriptors()
  await underLoad(async () => {
    await deployAndSee(warmUp.deployments)
    await until(() => requests >= warmUp.requests)
  })
  const before = await measure()
  await underLoad(() => deployAndSee(deployments))
  const loaded = await measure()
  for (let round = 1; round <= quietDeployments; round += 1) await deployQuietly()
  const quiet = await measure()

  const grown = {
    held: (loaded.held - before.held) / deployments,
    storage: (quiet.storage - loaded.storage) / quietDeployments,
  }
  printFigure(`${deployments} deployments, ${requests} requests, ${failures.length} failed`)
  printFigure(
    `a deployment leaves ${kibibytes(grown.held)} KiB in the control plane, ${kibibytes(grown.storage)} KiB in the storage`,
  )
  printFigure(
    `held by the control plane ${kibibytes(before.held)} KiB before, ${kibibytes(loaded.held)} KiB after; storage ${kibibytes(before.storage)} KiB and ${kibibytes(loaded.storage)} KiB`,
  )
  expect(failures).toEqual([])
  expect([...answeredIds].filter((version) => !versionIds.has(version))).toEqual([])
  expect(grown.held).toBeLessThan(limits.held)
  expect(grown.storage).toBeLessThan(limits.storage)
  // Unused connections are closed within seconds.
  await expect
    .poll(() => (quiet.descriptors() - open) / deployments, { timeout: 60_000, interval: 500 })
    .toBeLessThan(0.5)
  printFigure(`${open} descriptors before, ${quiet.descriptors()} after`)
})

const Status = z.object({ processes: z.array(z.object({ name: z.string(), pid: z.int() })) })

/** Open files and connections of a process; 0 on other systems than Linux. */
function descriptorsOf(pid: number): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0
}

function kibibytes(bytes: number) {
  return Math.round(bytes / 1024)
}
