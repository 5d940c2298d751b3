import { env } from "cloudflare:workers"

import { createCountingDatabase } from "./counting-database.ts"

/** A database before which something else can happen once, right before a statement reaches it. */
export function createInterruptedDatabase() {
  const state: { at?: RegExp; action?: () => Promise<unknown> } = {}
  const { database } = createCountingDatabase(env.DB, async (sql) => {
    if (state.at?.test(sql) !== true) return
    delete state.at
    await state.action?.()
  })
  const interrupt = (at: RegExp, action: () => Promise<unknown>) =>
    void Object.assign(state, { at, action })
  return {
    database,
    interrupt,
    fail: (at: RegExp) =>
      interrupt(at, () => Promise.reject(new Error("D1_ERROR: Network connection lost."))),
    /** Whether it has happened. */
    isDone: () => state.at === undefined,
  }
}
