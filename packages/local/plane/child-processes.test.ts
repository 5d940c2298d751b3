import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { expect, test } from "vitest"
import * as z from "zod"

import { processTree } from "../cloudflare/testing/process-tree.ts"
import { findProcess, openChildProcesses } from "./child-processes.ts"
import { until } from "./testing/test-plane.ts"

function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "children-"))
  return {
    file: join(directory, "processes.json"),
    directory,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** A process that the test kills, not the code under test. */
function bystander() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  return { child, pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill("SIGKILL") }
}

test.each([
  ["", 0],
  [", even after its guard was killed", 1],
])("workerd exits when its parent is killed%s", async (_, guardKills) => {
  using temporary = temporaryDirectory()
  const program = join(import.meta.dirname, "testing", "hold-plane-open.ts")
  const holder = spawn(process.execPath, [program, temporary.directory], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line] = await once(createInterface({ input: holder.stdout }), "line")
  const pids = z.array(z.number()).length(2).parse(JSON.parse(line))
  expect(pids.map((pid) => findProcess(pid))).not.toContain(undefined)
  const guards = () =>
    processTree(holder.pid ?? 0).filter((pid) => findProcess(pid)?.identity.includes("/bin/sh"))
  for (let kill = 0; kill < guardKills; kill += 1) {
    const [guard = 0] = guards()
    process.kill(guard, "SIGKILL")
    await until(() => guards().some((pid) => pid !== guard))
  }

  holder.kill("SIGKILL")
  await until(() => pids.every((pid) => findProcess(pid) === undefined))
})

test("leftover processes of an earlier run are killed, but no stranger with a reused pid", async () => {
  using temporary = temporaryDirectory()
  using leftover = bystander()
  using stranger = bystander()
  await until(() => [leftover, stranger].every(({ pid }) => findProcess(pid) !== undefined))
  const rows = [
    { pid: leftover.pid, identity: findProcess(leftover.pid)?.identity },
    { pid: stranger.pid, identity: "1 another program" },
  ]
  writeFileSync(temporary.file, JSON.stringify(rows))

  const exit = once(leftover.child, "exit")
  openChildProcesses(temporary.file).close()
  expect(await exit).toEqual([null, "SIGKILL"])
  expect(findProcess(stranger.pid)).toBeDefined()
})

test("child processes are listed by name while they run", async () => {
  using temporary = temporaryDirectory()
  const children = openChildProcesses(temporary.file)
  using adopted = children.adopt("own", bystander)
  using _foreign = bystander()
  await until(() => children.list().length > 0)
  expect(children.list()).toEqual([
    { name: "own", pid: adopted.pid, residentBytes: expect.any(Number) },
  ])
  expect(children.list()[0]?.residentBytes).toBeGreaterThan(1_000_000)
  expect(readFileSync(temporary.file, "utf8")).toContain(`"pid":${adopted.pid}`)

  children.kill("own")
  await until(() => children.list().length === 0)
  expect(readFileSync(temporary.file, "utf8")).toBe("[]")
  children.close()
})

test("children that end after the close write nothing, as their directory may be gone", async () => {
  using temporary = temporaryDirectory()
  const children = openChildProcesses(temporary.file)
  const { child } = children.adopt("one", bystander)
  await once(child, "spawn")
  expect(children.list()).toHaveLength(1)

  const exit = once(child, "exit")
  children.close()
  expect(readFileSync(temporary.file, "utf8")).toBe("[]")
  rmSync(temporary.directory, { recursive: true })
  // An error that a listener of the exit throws fails the test file.
  expect(await exit).toEqual([null, "SIGKILL"])
})
