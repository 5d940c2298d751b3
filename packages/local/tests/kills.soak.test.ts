import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"
import * as z from "zod"

import { askEdge } from "../cloudflare/testing/ask-edge.ts"
import { localCloudflareProcess } from "../cloudflare/testing/local-cloudflare.ts"
import { printFigure } from "../cloudflare/testing/print-figure.ts"
import { processTree } from "../cloudflare/testing/process-tree.ts"
import { createWorker, deployVersion, uploadVersion } from "../cloudflare/testing/worker.ts"
import { seededRandom } from "../faults/seeded-random.ts"
import { findProcess } from "../plane/child-processes.ts"
import { until } from "../plane/testing/test-plane.ts"

const killCount = process.env["SOAK_BUDGET"] === "full" ? 200 : 10
const seed = Number(process.env["SOAK_SEED"] ?? 1)

/** Milliseconds of load between two kills. */
const maxPause = 400

const Deployments = z.object({
  result: z.object({
    deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })),
  }),
})

const Status = z.object({ processes: z.array(z.object({ name: z.string(), pid: z.int() })) })

const host = "site.accounts.test"

const code = `export default {
  async fetch(request, { DB, VERSION }) {
    const id = Number(new URL(request.url).searchParams.get("id"))
    if (id) await DB.prepare("INSERT INTO note VALUES (?)").bind(id).run()
    return new Response(VERSION.id)
  },
}`

test(`kill -9 of any process under load, ${killCount} times (seed ${seed}), loses no acknowledged write`, async () => {
  const chance = seededRandom(seed)
  const identities = new Map<number, string>()
  const victims = new Map<string, number>()
  let kills = 0
  let acknowledged = 0
  {
    await using site = await openSite()
    const tree = () => {
      const pids = processTree(site.pid())
      for (const pid of pids) identities.set(pid, findProcess(pid)?.identity ?? "")
      return pids
    }
    while (kills < killCount) {
      await sleep(chance() * maxPause)
      const pids = tree()
      const victim = pids[Math.floor(chance() * pids.length)] ?? site.pid()
      const kind = await site.kindOf(victim)
      if (victim === site.pid()) {
        await site.restart()
      } else if (findProcess(victim)?.identity !== identities.get(victim) || !killNow(victim)) {
        // It has exited since it was listed: choose another one.
        continue
      }
      kills += 1
      victims.set(kind, (victims.get(kind) ?? 0) + 1)
      await site.serving()
      await site.expectNothingLost(`after kill ${kills}, of ${kind}`)
    }
    acknowledged = await site.stop()
    tree()
  }
  await until(() =>
    [...identities].every(([pid, identity]) => findProcess(pid)?.identity !== identity),
  )
  expect(acknowledged).toBeGreaterThan(killCount)
  const kinds = [...victims].map(([kind, count]) => `${count} of ${kind}`)
  printFigure(`seed ${seed}, ${kills} kills: ${kinds.join(", ")}`)
  printFigure(`${acknowledged} writes acknowledged, 0 lost; ${identities.size} processes, 0 left`)
})

/** A Worker with a database under three kinds of writes, each of which records what was acknowledged. */
async function openSite() {
  await using opened = new AsyncDisposableStack()
  const cloudflare = opened.use(await localCloudflareProcess())
  const { accountId } = cloudflare
  const account_id = accountId
  const client = await cloudflare.client()
  const { uuid = "" } = await client.d1.database.create({ account_id, name: "site" })
  await client.d1.database.query(uuid, { account_id, sql: "CREATE TABLE note (id INTEGER)" })
  const { id: workerId } = await createWorker(client, accountId, "site")

  const rows: number[] = []
  /** Oldest first; a deployment without a response may have become the live one, too. */
  let live: { versionId: string; answered: boolean }[] = []
  let next = 0
  const stopping = new AbortController()

  async function deploy() {
    const bindings = [{ type: "d1" as const, name: "DB", database_id: uuid }]
    // The address changes with each restart.
    const now = await cloudflare.client()
    const { id: versionId } = await uploadVersion(now, { workerId, accountId, code, bindings })
    const deployment = { versionId, answered: false }
    live.push(deployment)
    await deployVersion(now, { accountId, script: "site", versionId })
    deployment.answered = true
  }
  const overWorker = async () => {
    const id = (next += 1)
    const { status } = await askEdge(cloudflare.edge, host, `/?id=${id}`)
    if (status === 200) rows.push(id)
    return status === 200
  }
  const overApi = async () => {
    const id = (next += 1)
    const body = JSON.stringify({ sql: "INSERT INTO note VALUES (?)", params: [String(id)] })
    const { ok } = await cloudflare.request(`/accounts/${accountId}/d1/database/${uuid}/query`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    })
    if (ok) rows.push(id)
    return ok
  }
  /** A write that fails was not acknowledged; it may have happened or not. */
  async function repeat(write: () => Promise<unknown>, pause: number) {
    while (!stopping.signal.aborted) {
      await write().catch(() => {})
      await sleep(pause)
    }
  }

  await deploy()
  await client.workers.domains.update({ account_id, hostname: host, service: "site" })
  const load = [
    repeat(overWorker, 2),
    repeat(overWorker, 2),
    repeat(overApi, 2),
    repeat(deploy, 200),
  ]
  async function stopLoad() {
    stopping.abort()
    await Promise.all(load)
  }
  opened.defer(stopLoad)
  const resources = opened.move()

  async function stop() {
    await stopLoad()
    await expectNothingLost("at the end")
    return rows.length + live.length
  }

  async function expectNothingLost(when: string) {
    const answeredRows = [...rows]
    const since = live.findLastIndex((deployment) => deployment.answered)
    const now = await cloudflare.client()
    const {
      result: [answer],
    } = await now.d1.database.query(uuid, { account_id, sql: "SELECT id FROM note" })
    const stored = new Set(answer?.results?.map((row) => Object(row).id))
    expect(
      answeredRows.filter((id) => !stored.has(id)),
      when,
    ).toEqual([])
    const deployments = await cloudflare.request(
      `/accounts/${accountId}/workers/scripts/site/deployments`,
    )
    const [newest] = Deployments.parse(await deployments.json()).result.deployments
    live = live.slice(Math.max(since, 0))
    expect(
      live.map(({ versionId }) => versionId),
      when,
    ).toContain(newest?.versions[0]?.version_id)
  }

  return {
    pid: () => cloudflare.pid,
    restart: () => cloudflare.restart("SIGKILL"),
    async kindOf(pid: number) {
      if (pid === cloudflare.pid) return "the control plane"
      const status = await (await cloudflare.request("/../../local/status")).json()
      const name = Status.parse(status).processes.find((row) => row.pid === pid)?.name
      if (name === undefined) return "the guard"
      return name === "storage" ? "the storage" : "a version"
    },
    /** Waits until the Worker and the API both write again. */
    async serving() {
      for (const write of [overWorker, overApi]) await until(() => write().catch(() => false))
    },
    expectNothingLost,
    stop,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Whether the process still existed. */
function killNow(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false
  }
}
