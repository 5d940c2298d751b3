import { spawn } from "node:child_process"
import { once } from "node:events"

import { expect, test } from "vitest"

import { isAlive } from "./is-alive.ts"

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
