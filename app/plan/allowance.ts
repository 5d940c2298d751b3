import { sql, type SQL } from "drizzle-orm"

import type { user } from "../auth/auth.table.ts"
import { isSmokeAddress } from "../auth/smoke.ts"
import { rowIf } from "../conditional-row.ts"
import type { Database } from "../database.ts"
import { limits, type Metric, periodOf, planOf } from "./plan.ts"
import { usage } from "./usage.table.ts"

type Options = {
  database: Database
  member: Pick<typeof user.$inferSelect, "id" | "email" | "plan" | "planUntil">
  metric: Metric
  now: Date
}

/**
 * A member's monthly limit as SQL, for the batch that creates the row. A batch is one transaction,
 * so parallel requests cannot exceed the limit.
 */
export function allowance({ database, member, metric, now }: Options) {
  const limit = limits[planOf(member, now)][metric]
  const exempt = isSmokeAddress(member.email)
  const period = periodOf(now)
  const used = sql`(select ${usage.count} from ${usage} where ${usage.userId} = ${member.id}
    and ${usage.period} = ${period} and ${usage.metric} = ${metric})`
  return {
    limit,
    /** Condition for the insert. */
    left: exempt ? sql`true` : sql`coalesce(${used}, 0) < ${limit}`,
    /** Statement after the insert: counts the row if it was inserted. */
    spend: (inserted: SQL) =>
      database
        .insert(usage)
        .select(
          rowIf(
            usage,
            { userId: member.id, period, metric, count: 1 },
            sql`${exempt ? sql`false` : sql`true`} and exists (${inserted})`,
          ),
        )
        .onConflictDoUpdate({
          target: [usage.userId, usage.period, usage.metric],
          set: { count: sql`${usage.count} + 1` },
        }),
  }
}

export const planLimitReached = {
  PLAN_LIMIT_REACHED: { status: 402, message: "The monthly limit of your plan has been reached" },
} as const
