import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { plans, session, user } from "../service/platform/database/auth.table.ts"
import { preparedOnce } from "../service/platform/database/database.ts"
import type { Collections } from "../service/platform/database/records.ts"
import { listedValue } from "../service/platform/rpc/fields.ts"
import { isCurrent } from "../service/session/caller.ts"
import { nearReader } from "../service/session/procedures.ts"
import { planOf } from "../service/session/profile.ts"
import { endOfPeriod, limits, metrics, periodOf } from "./plan.ts"
import { usage } from "./usage.table.ts"

const Usage = z.object({ metric: z.enum(metrics), used: z.int(), limit: z.int() })

const planAndUsage = preparedOnce((database) =>
  database
    .select({
      callerId: session.userId,
      plan: user.plan,
      planUntil: user.planUntil,
      row: { metric: usage.metric, count: usage.count },
    })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .leftJoin(
      usage,
      and(eq(usage.userId, session.userId), eq(usage.period, sql.placeholder("period"))),
    )
    .where(isCurrent)
    .prepare(),
)

const getPlanAndUsage = nearReader
  .route({ method: "GET" })
  .output(
    z.object({
      plan: z.enum(plans),
      planUntil: z.date().nullable(),
      usage: z.array(Usage),
      resetsAt: z.date(),
    }),
  )
  .handler(async ({ context }) => {
    const now = new Date()
    const rows = await context.askOnce(planAndUsage, { period: periodOf(now) })
    const [{ plan: stored, planUntil }] = rows
    const plan = planOf({ plan: stored, planUntil }, now)
    const used = new Map(rows.map(({ row }) => [row?.metric, row?.count]))
    return {
      plan,
      planUntil: plan === "free" ? null : planUntil,
      usage: metrics.map((metric) => ({
        metric,
        used: used.get(metric) ?? 0,
        limit: limits[plan][metric],
      })),
      resetsAt: endOfPeriod(now),
    }
  })

export const planProcedures = { getPlanAndUsage }

const MonthlyUsage = z.object({
  metric: listedValue(metrics),
  period: z.string(),
  count: z.int(),
})

export const planExport: Collections = {
  usage: { table: usage, owner: usage.userId, item: MonthlyUsage },
}
