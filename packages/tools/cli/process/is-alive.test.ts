import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { isAlive, isGone } from "./is-alive.ts"

test("a process is alive until it exits", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"])
  const { pid = 0 } = child
  expect([isAlive(process.pid), isAlive(pid)]).toEqual([true, true])
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(isAlive(pid)).toBe(false)
})

test.runIf(process.platform === "linux")(
  "a process that exited is not alive, even if its parent never collected the exit code",
  async () => {
    // The shell replaces itself with a program that never collects exit codes; its child waits for that.
    const replaced = '[ "$(cat /proc/$$/comm)" = sleep ]'
    const script = `(until ${replaced}; do sleep 0.01; done) & echo $!; exec sleep 60`
    const parent = spawn("sh", ["-c", script])
    try {
      const [line] = await once(parent.stdout, "data")
      const pid = Number(String(line))
      await expect.poll(() => isAlive(pid)).toBe(false)
      expect(process.kill(pid, 0), "it is still in the process table").toBe(true)
    } finally {
      parent.kill("SIGKILL")
    }
  },
)

/** A `/proc` of Linux with one process, whose ids are those of each namespace that it is in. */
function openProc(namespace: string, ids: string, state: string) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-proc-"))
  mkdirSync(join(directory, "self/ns"), { recursive: true })
  symlinkSync(`pid:[${namespace}]`, join(directory, "self/ns/pid"))
  mkdirSync(join(directory, "4711"))
  const status = `Name:\tpulumi\nState:\t${state}\nNSpid:\t${ids}\nThreads:\t1\n`
  writeFileSync(join(directory, "4711/status"), status)
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

// Beyond the largest id that Linux gives to a process.
const never = 2 ** 22 + 1

test.runIf(process.platform === "linux").each([
  ["from the machine itself", "4026531836", "4711", "S (sleeping)", true],
  ["while a container on it has that id", "4026531836", `4711\t${never}`, "R (running)", false],
  ["once that one has exited", "4026531836", `4711\t${never}`, "Z (zombie)", true],
  ["from within a container, which sees no other", "4026532841", "4711", "S (sleeping)", false],
])("a process is gone for sure only if none has its id: %s", (_, namespace, ids, state, gone) => {
  using proc = openProc(namespace, ids, state)
  expect(isGone(never, proc.directory)).toBe(gone)
  expect(isGone(process.pid, proc.directory)).toBe(false)
})
