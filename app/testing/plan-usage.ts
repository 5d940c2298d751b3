import { env } from "cloudflare:workers"

import { limits, type Metric, metrics } from "../plan/plan.ts"
import { plans } from "../service/auth/auth.table.ts"

/** How much of each limit was used, by everybody. */
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

/** As a reviewer of another limit reads it. */
export function describeLimit(metric: Metric): string {
  const each = plans.map((plan) => [plan, limits[plan][metric]].join(" "))
  return [each.join(", "), metric, "a month"].join(" ")
}
