import type { Plan } from "../service/platform/database/auth.table.ts"

export const metrics = ["journal_entries", "compatibility_results"] as const

export type Metric = (typeof metrics)[number]

/** Number of rows that a member may create in a calendar month (UTC). */
export const limits: Record<Plan, { [metric in Metric]: number }> = {
  free: { journal_entries: 60, compatibility_results: 5 },
  premium: { journal_entries: 1000, compatibility_results: 100 },
}

/** The calendar month (UTC), such as 2026-11. */
export function periodOf(now: Date) {
  return now.toISOString().slice(0, 7)
}

export function endOfPeriod(now: Date) {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
