import { fork } from "node:child_process"
import { once } from "node:events"

import { expect, test } from "vitest"

test(
  "a deployer whose parent has left says nothing of that, and ends",
  { timeout: 60_000 },
  async () => {
    const child = fork(new URL("./forked-deployer-main.ts", import.meta.url), {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    })
    let output = ""
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
    // The message is rejected immediately, when the parent no longer listens.
    child.send({})
    child.disconnect()
    await once(child, "exit")
    expect(output).toBe("")
  },
)
