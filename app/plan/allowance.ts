import { sql, type SQL } from "drizzle-orm"

import { isSmokeAddress } from "../auth/smoke.ts"
import type { Database } from "../database.ts"
import type { Member } from "../user/member.ts"
import { limits, type Metric, periodOf, planOf } from "./plan.ts"
import { usage } from "./usage.table.ts"

type Options = {
  database: Database
  member: Member
  metric: Metric
  now: Date
}

/**
 * A member's limit as SQL, for the batch that also writes. A batch is one transaction, so parallel
 * requests cannot both take the last place.
 */
export function allowance({ database, member, metric, now }: Options) {
  const limit = limits[planOf(member, now)][metric]
  const exempt = isSmokeAddress(member.email)
  const period = periodOf(now)
  const used = sql`(select ${usage.count} from ${usage} where ${usage.userId} = ${member.id}
    and ${usage.period} = ${period} and ${usage.metric} = ${metric})`
  return {
    limit,
    /** Condition of the insert: something is left this month. */
    left: exempt ? sql`true` : sql`coalesce(${used}, 0) < ${limit}`,
    /** Statement after the insert: counts it if it happened. */
    spend: (inserted: SQL) =>
      database
        .insert(usage)
        .select(
          sql`select ${member.id}, ${period}, ${metric}, 1
            where ${exempt ? sql`false` : sql`true`} and exists (${inserted})`,
        )
        .onConflictDoUpdate({
          target: [usage.userId, usage.period, usage.metric],
          set: { count: sql`${usage.count} + 1` },
        }),
  }
}

export const planLimitReached = {
  PLAN_LIMIT_REACHED: { status: 402, message: "The plan allows no more of these this month" },
} as const
