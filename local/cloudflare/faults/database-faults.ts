import { setTimeout as sleep } from "node:timers/promises"

import type { Plane } from "../plane/plane.ts"
import { diskFullText } from "./d1-error-texts.ts"
import type { Faults } from "./faults.ts"
import { kill } from "./kill-processes.ts"

/** What the process that owns all storage is to do to one query. */
export type QueryFault = {
  /** How many statements run; all of them when absent. */
  keep?: number
  /** What the caller is told then. */
  error: string
  /** Whether it is told so only when D1 has lost patience. */
  late?: true
}

/** After this D1 gives a query up, in milliseconds. */
const patience = 30_000
const timeoutText = "D1 DB storage operation exceeded timeout which caused object to be reset."

export type DatabaseFaults = {
  /** Whether queries have to be asked about at all. */
  active(): boolean
  /** Undefined when the query is to be left alone. */
  find(database: string, sql: string): Promise<QueryFault | undefined>
  /** Waits as long as D1 does for a query that hangs, or until the rules change. */
  waitForTimeout(): Promise<void>
}

export function createDatabaseFaults(
  faults: Faults,
  plane: () => Pick<Plane, "processes">,
): DatabaseFaults {
  async function waitForTimeout() {
    const patient = new AbortController()
    const { signal } = patient
    await Promise.race([faults.changed(), sleep(patience, undefined, { signal, ref: false })])
    patient.abort()
  }

  return {
    active: () => faults.concerns("d1"),
    async find(database, sql) {
      const found = await faults.find({ surface: "d1", database, text: async () => sql })
      if (found === undefined) return undefined
      const { action } = found
      const { type } = action
      if (type === "d1-error") return { error: action.error, ...(!action.applied && { keep: 0 }) }
      if (type === "non-atomic") return { error: action.error, keep: action.keep }
      if (type === "disk-full") return { error: diskFullText, keep: 0 }
      if (type === "hang") {
        if (action.applied) return { error: timeoutText, late: true }
        await waitForTimeout()
        return { error: timeoutText, keep: 0 }
      }
      if (type === "delay") await sleep(action.ms)
      if (type === "kill") await kill(plane(), action)
      return undefined
    },
    waitForTimeout,
  }
}
