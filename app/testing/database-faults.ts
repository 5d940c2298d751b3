import { vi } from "vitest"

import { createInterceptedDatabase, type Send } from "./counting-database.ts"
import { databaseErrors } from "./database-errors.ts"

/** Fault of a round trip: it is sent or lost, now or after the request. */
export type Fault = {
  name: string
  isApplied: boolean
  /** Whether it meets every round trip from then on. */
  lasts?: true
  meet: (send: Send) => Promise<unknown>
}

/** Statements to apply when everything else has ended. */
const late: Send[] = []

export async function applyLate() {
  for (const send of late.splice(0)) await send().catch(() => {})
}

/** Lets the time of the question pass; nothing else waits. */
function hang(): Promise<never> {
  vi.advanceTimersByTime(30_000)
  return new Promise(() => {})
}

/** Error of the binding for a response that is not D1's, such as a page of Cloudflare's edge. */
const page = "Failed to parse body as JSON, got: error code: 1031"

export const faults: Fault[] = [
  ...[...Object.keys(databaseErrors), page].flatMap((text) => {
    const refuse = () => Promise.reject(new Error(`D1_ERROR: ${text}`))
    return [
      { name: text, isApplied: false, meet: refuse },
      { name: `${text} (applied)`, isApplied: true, meet: (send: Send) => send().then(refuse) },
    ]
  }),
  {
    name: "connections are lost from then on",
    isApplied: false,
    lasts: true,
    meet: () => Promise.reject(new Error("D1_ERROR: Network connection lost.")),
  },
  { name: "hangs from then on", isApplied: false, lasts: true, meet: hang },
  { name: "hangs", isApplied: false, meet: hang },
  { name: "hangs (applied)", isApplied: true, meet: (send) => send().then(hang) },
  {
    name: "hangs, and is applied after all",
    isApplied: true,
    meet: (send) => {
      late.push(send)
      return hang()
    },
  },
  {
    name: "is slow",
    isApplied: true,
    meet: (send) => {
      vi.advanceTimersByTime(4500)
      return send()
    },
  },
]

/** Lets a fault meet the n-th round trip that counts, while the action runs. */
export function createFaultyDatabase(database: D1Database, counts: (sql: string) => boolean) {
  const state: { left: number; fault: Fault | undefined } = { left: 0, fault: undefined }
  const faulty = createInterceptedDatabase(database, (sql, send) => {
    if (!counts(sql)) return send()
    state.left -= 1
    const { fault, left } = state
    const isMet = left === 0 || (left < 0 && fault?.lasts)
    return fault !== undefined && isMet ? fault.meet(send) : send()
  })
  return {
    database: faulty,
    /** How many round trips an action takes. */
    count: async (action: () => Promise<unknown>) => {
      state.left = 0
      await action()
      return -state.left
    },
    meet: async <Result>(fault: Fault, nth: number, action: () => Promise<Result>) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      Object.assign(state, { left: nth, fault })
      try {
        return await action()
      } finally {
        Object.assign(state, { left: 0, fault: undefined })
        vi.useRealTimers()
      }
    },
  }
}
