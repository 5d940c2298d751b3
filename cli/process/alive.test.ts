import { spawn } from "node:child_process"
import { once } from "node:events"

import { expect, test } from "vitest"

import { alive } from "./alive.ts"

test("a process runs until it has ended", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"])
  const { pid = 0 } = child
  expect([alive(process.pid), alive(pid)]).toEqual([true, true])
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(alive(pid)).toBe(false)
})

test.runIf(process.platform === "linux")(
  "one whose exit code nobody has asked for runs no more",
  async () => {
    // The shell has become a program that never asks.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"])
    try {
      const [line] = await once(parent.stdout, "data")
      const pid = Number(String(line))
      await expect.poll(() => alive(pid)).toBe(false)
      expect(process.kill(pid, 0), "it is still in the table").toBe(true)
    } finally {
      parent.kill("SIGKILL")
    }
  },
)
