import { once } from "node:events"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"

test.each(["SIGINT", "SIGTERM"] as const)(
  "a rehearsal that %s ends leaves nothing behind",
  async (signal) => {
    const environment: NodeJS.ProcessEnv = {}
    await using checkout = copyCheckout({ environment })
    const temporary = join(checkout.directory, "temporary")
    mkdirSync(temporary)
    environment["TMPDIR"] = temporary
    checkout.addMigration("rehearsed", "CREATE TABLE rehearsed (id TEXT PRIMARY KEY);\n")
    const child = checkout.spawn("database", "rehearse")
    if (child.stderr === null) throw new Error("its stderr is not read")
    const closed = once(child, "close")
    for await (const line of createInterface({ input: child.stderr })) {
      if (!line.includes("new since ")) continue
      await expect.poll(() => readdirSync(temporary), { timeout: 20_000 }).not.toEqual([])
      child.kill(signal)
    }
    expect(await closed).toEqual([130, null])
    expect(readdirSync(temporary)).toEqual([])
  },
)
