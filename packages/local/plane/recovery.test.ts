import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { type Server, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { openChildProcesses } from "./child-processes.ts"
import { openStorageProcess } from "./storage/storage-process.ts"
import {
  type TestPlane,
  openTestPlane,
  pidOf,
  serveVersion,
  until,
  versionSpec,
} from "./testing/test-plane.ts"
import { VersionPool } from "./version-pool.ts"

const writer = versionSpec({
  bindings: [{ name: "DB", type: "d1", id: "main" }],
  code: `export default {
    async fetch(request, { DB }) {
      const id = Number(new URL(request.url).searchParams.get("id"))
      if (id) await DB.prepare("INSERT INTO note (id) VALUES (?)").bind(id).run()
      return Response.json(await DB.prepare("SELECT id FROM note").raw())
    },
  }`,
})

const createTable = { sql: "CREATE TABLE note (id INTEGER PRIMARY KEY)", params: [] }

async function startWriter(plane: TestPlane) {
  await plane.openDatabase("main")
  await plane.query("main", [createTable])
  await plane.start(writer)
  return serveVersion(plane, writer.id)
}

test("no acknowledged write is lost when the storage process dies, and it restarts", async () => {
  await using plane = await openTestPlane()
  await using site = await startWriter(plane)
  const acknowledged: number[] = []
  let next = 1
  const stop = new AbortController()
  async function write() {
    while (!stop.signal.aborted) {
      const id = next
      next += 1
      const written = id % 2 === 0 ? await overApi(id) : await overWorker(id)
      if (written) acknowledged.push(id)
    }
  }
  const overWorker = async (id: number) => (await site.fetch(`/?id=${id}`)).ok
  const overApi = (id: number) =>
    plane.query("main", [{ sql: "INSERT INTO note (id) VALUES (?)", params: [id] }]).then(
      () => true,
      () => false,
    )

  const writers = Array.from({ length: 4 }, write)
  for (let kill = 0; kill < 3; kill += 1) {
    const pid = pidOf(plane, "storage")
    const before = acknowledged.length
    await until(() => acknowledged.length > before + 10)
    process.kill(pid, "SIGKILL")
    await until(() => plane.processes().some((row) => row.name === "storage" && row.pid !== pid))
  }
  const after = acknowledged.length
  await until(() => acknowledged.length > after + 10)
  stop.abort()
  await Promise.all(writers)

  const [stored] = await plane.query("main", [{ sql: "SELECT id FROM note", params: [] }])
  expect(stored?.rows.flat()).toEqual(expect.arrayContaining(acknowledged))
  // Only writes in flight at one of the three kills may be lost.
  expect(next - 1 - acknowledged.length).toBeLessThan(3 * 40)
  expect(plane.log.filter((line) => line.includes("was restarted"))).toHaveLength(3)
})

test("a storage process whose port is taken moves, and the versions follow it", async () => {
  const log: string[] = []
  const directory = mkdtempSync(join(tmpdir(), "plane-"))
  const children = openChildProcesses(join(directory, "processes.json"))
  const onLog = (line: string) => log.push(line)
  const store = await openStorageProcess({
    directory,
    children,
    isKnown: () => true,
    onMove: () => pool.rebootAll(),
    onLog,
  })
  const pool = new VersionPool({ children, storage: store.address, onLog })
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => rmSync(directory, { recursive: true, force: true }))
  cleanUp.defer(() => children.close())
  cleanUp.defer(() => store.close())
  cleanUp.defer(() => pool.close())

  await store.query("main", [createTable])
  await pool.start(writer)
  const site = cleanUp.use(await serveVersion(pool, writer.id))
  expect(await (await site.fetch("/?id=1")).json()).toEqual([[1]])

  const { address } = store.address()
  const squatter = createServer((socket) => socket.destroy())
  cleanUp.defer(() => void squatter.close())
  children.kill("storage")
  await listenAsSoonAsFree(squatter, Number(address.split(":")[1]))
  await until(() => store.address().address !== address)
  expect(await (await site.fetch("/?id=2")).json()).toEqual([[1], [2]])
  expect(log).toContain("storage: the process died and was restarted at another address")
})

/** Faster than Miniflare, which has to start a process first. */
async function listenAsSoonAsFree(server: Server, port: number) {
  for (;;) {
    server.listen(port, "127.0.0.1")
    try {
      await once(server, "listening")
      return
    } catch {
      await sleep(1)
    }
  }
}

test("a version whose process dies returns 502 for the request in flight, then recovers", async () => {
  await using plane = await openTestPlane()
  const version = versionSpec({
    code: `let isAsked = false
    export default {
      async fetch(request) {
        if (new URL(request.url).pathname !== "/slow") return new Response(isAsked ? "asked" : "fine")
        isAsked = true
        await scheduler.wait(20_000)
      },
    }`,
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  const ask = async () => (await site.fetch("/")).text()
  expect(await ask()).toBe("fine")
  const slow = site.fetch("/slow")
  await until(async () => (await ask()) === "asked")

  const pid = pidOf(plane, "site")
  process.kill(pid, "SIGKILL")
  const broken = await slow
  expect([broken.status, await broken.text()]).toEqual([502, "error code: 502\n"])
  await until(() => plane.processes().some((row) => row.name.startsWith("site") && row.pid !== pid))
  expect(await ask()).toBe("fine")
  expect(plane.processes()).toHaveLength(2)
})
