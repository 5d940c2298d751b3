import * as z from "zod"

import type { State } from "../state/state.ts"

const Schedule = z.object({
  worker_id: z.string(),
  cron: z.string(),
  created_on: z.string(),
  modified_on: z.string(),
})
export type Schedule = z.infer<typeof Schedule>

export function listSchedules(state: State, workerId: string): Schedule[] {
  return state.list(Schedule, "SELECT * FROM schedule WHERE worker_id = ? ORDER BY cron", workerId)
}

/** Of all Workers of the account. */
export function countSchedules(state: State, except: string): number {
  const row = state.get("SELECT count(*) AS count FROM schedule WHERE worker_id <> ?", except)
  return Number(row?.["count"])
}

/** Replaces the whole set: schedules not in `crons` are removed. */
export function replaceSchedules(state: State, workerId: string, crons: string[]) {
  const now = new Date().toISOString()
  state.run(
    "DELETE FROM schedule WHERE worker_id = ? AND cron NOT IN (SELECT value FROM json_each(?))",
    workerId,
    JSON.stringify(crons),
  )
  for (const cron of crons) {
    const row = { worker_id: workerId, cron, created_on: now, modified_on: now }
    state.insert("schedule", row, "ON CONFLICT (worker_id, cron) DO NOTHING")
  }
}
