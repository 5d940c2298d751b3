export const plans = ["free", "premium"] as const

export type Plan = (typeof plans)[number]

export const metrics = ["journal_entries", "compatibility_results"] as const

export type Metric = (typeof metrics)[number]

/** How many rows a member may create per calendar month (UTC). */
export const limits: Record<Plan, Record<Metric, number>> = {
  free: { journal_entries: 60, compatibility_results: 5 },
  premium: { journal_entries: 1000, compatibility_results: 100 },
}

/** A plan that has ended counts as free. */
export function planOf(member: { plan: Plan; planUntil: Date | null }, now: Date): Plan {
  return member.planUntil !== null && member.planUntil <= now ? "free" : member.plan
}

/** Shows a plan that has ended as free, wherever a user is shown. */
export function withPlanOf<Planned extends { plan: Plan; planUntil: Date | null }>(user: Planned) {
  const plan = planOf(user, new Date())
  return { ...user, plan, planUntil: plan === "free" ? null : user.planUntil }
}

/** The calendar month (UTC), such as 2026-11. */
export function periodOf(now: Date) {
  return now.toISOString().slice(0, 7)
}

export function endOfPeriod(now: Date) {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
