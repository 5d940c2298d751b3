import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"

import { isSmokeAddress } from "../service/guard/smoke.ts"
import type { user } from "../service/platform/database/auth.table.ts"
import { type Database, rowIf } from "../service/platform/database/database.ts"
import { planOf } from "../service/session/profile.ts"
import { limits, type Metric, periodOf } from "./plan.ts"
import { usage } from "./usage.table.ts"

type Options<Table extends SQLiteTable> = {
  database: Database
  member: Pick<typeof user.$inferSelect, "id" | "email" | "plan" | "planUntil">
  isSignedIn: SQL
  metric: Metric
  table: Table & { id: SQLiteColumn }
  row: Table["$inferInsert"] & { id: string; createdAt: Date }
}

/**
 * Inserts a row and counts it, unless the member's monthly limit is reached. Returns whether it was inserted. A batch
 * is one transaction, so parallel requests cannot exceed the limit.
 * @public
 */
export async function insertWithinPlan<Table extends SQLiteTable>(options: Options<Table>) {
  const { database, member, isSignedIn, metric, table, row } = options
  const limit = limits[planOf(member, row.createdAt)][metric]
  const isExempt = isSmokeAddress(member.email)
  const period = periodOf(row.createdAt)
  const used = sql`(select ${usage.count} from ${usage} where ${usage.userId} = ${member.id}
    and ${usage.period} = ${period} and ${usage.metric} = ${metric})`
  const isLeft = isExempt ? sql`true` : sql`coalesce(${used}, 0) < ${limit}`
  const counts = sql`${isExempt ? sql`false` : sql`true`}
    and exists (select 1 from ${table} where ${table.id} = ${row.id})`
  const [{ meta }] = await database.batch([
    database.insert(table).select(rowIf(table, row, sql`${isLeft} and ${isSignedIn}`)),
    database
      .insert(usage)
      .select(rowIf(usage, { userId: member.id, period, metric, count: 1 }, counts))
      .onConflictDoUpdate({
        target: [usage.userId, usage.period, usage.metric],
        set: { count: sql`${usage.count} + 1` },
      }),
  ])
  return meta.changes > 0
}

/** @public */
export const planLimitReached = {
  PLAN_LIMIT_REACHED: { status: 402, message: "The monthly limit of your plan has been reached" },
} as const
