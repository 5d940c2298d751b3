import { env } from "cloudflare:workers"

import { limits, type Metric, metrics } from "../plan/plan.ts"
import { plans } from "../service/platform/database/auth.table.ts"

/** Sums the usage of each limit over all members. */
export async function usedOfPlans(): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "select metric, sum(count) as used from usage group by metric",
  ).all<{ metric: string; used: number }>()
  return Object.fromEntries(results.map(({ metric, used }) => [metric, used]))
}

export async function usedSince(before: Record<string, number>): Promise<Metric[]> {
  const used = await usedOfPlans()
  return metrics.filter((metric) => (used[metric] ?? 0) > (before[metric] ?? 0))
}

/** Describes a limit for a reviewer. */
export function describeLimit(metric: Metric): string {
  const each = plans.map((plan) => [plan, limits[plan][metric]].join(" "))
  return [each.join(", "), metric, "a month"].join(" ")
}
