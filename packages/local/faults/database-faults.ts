import { setTimeout as sleep } from "node:timers/promises"

import type { DatabaseFaults, Plane, QueryFault } from "../plane/plane.ts"
import type { Faults } from "./faults.ts"
import { killProcesses } from "./kill-processes.ts"

/** D1's timeout of a query, in milliseconds. */
const queryTimeout = 30_000
const timeoutText = "D1 DB storage operation exceeded timeout which caused object to be reset."

export function createDatabaseFaults(
  faults: Faults,
  plane: () => Pick<Plane, "processes">,
): DatabaseFaults {
  /** Waits for D1's query timeout, or until the rules change. */
  async function waitForTimeout() {
    const timer = new AbortController()
    const { signal } = timer
    await Promise.race([faults.changed(), sleep(queryTimeout, undefined, { signal, ref: false })])
    timer.abort()
  }

  return {
    active: () => faults.concerns("d1"),
    async find(database: string, sql: string): Promise<QueryFault | undefined> {
      const found = await faults.find({ surface: "d1", database, text: async () => sql })
      if (found === undefined) return undefined
      const { action } = found
      const { type } = action
      if (type === "d1-error") return { error: action.error, applied: action.applied }
      if (type === "hang") {
        if (action.applied) return { error: timeoutText, applied: true, late: true }
        await waitForTimeout()
        return { error: timeoutText, applied: false }
      }
      if (type === "delay") await sleep(action.ms)
      if (type === "kill") await killProcesses(plane(), action)
      return undefined
    },
    waitForTimeout,
  }
}
