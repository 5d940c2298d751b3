import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"

import * as z from "zod"

import { Failure } from "../../failure.ts"
import { paint, say } from "../output.ts"
import { isAlive } from "../process/is-alive.ts"
import { parseIfJson, readIfExists } from "../process/read-file.ts"

const Lock = z.object({
  pid: z.number(),
  username: z.string(),
  hostname: z.string(),
  timestamp: z.string(),
})

/**
 * Removes the locks of killed runs, which a `file://` backend never releases, and returns how many.
 * @throws Failure LOCKED if a lock may belong to a process that is still running
 */
export function removeDeadLocks({ backend, stack }: { backend: string; stack: string }): number {
  const directory = join(backend, ".pulumi", "locks", "organization", "accounts", stack)
  if (!existsSync(directory)) return 0
  let removed = 0
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const written = readIfExists(path)
    // Its run has just exited and removed it.
    if (written === undefined) continue
    // An unreadable lock was left by a run that was killed while writing it.
    const { data: lock } = Lock.safeParse(parseIfJson(written))
    if (lock && (lock.hostname !== hostname() || isAlive(lock.pid))) {
      throw new Failure(
        "LOCKED",
        `The stack ${stack} is locked by process ${lock.pid} of ${lock.username} on ${lock.hostname} since ${lock.timestamp}. ` +
          "Wait for it or stop it, then run this again.",
      )
    }
    rmSync(path, { force: true })
    removed += 1
    const of = lock ? ` (process ${lock.pid})` : ""
    say(`${paint.green("✓")} removed the lock of a killed run${of}`)
  }
  return removed
}
