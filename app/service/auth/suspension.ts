import { type SQL, sql } from "drizzle-orm"

/** Why an account is suspended: a list, since the audit log holds nothing personal. */
export const suspensionReasons = ["abuse", "security", "payment", "request", "other"] as const

/**
 * Condition of every session that begins. A trigger of the database says about the same, for versions that
 * know nothing of it.
 */
export function isNotSuspended(userId: string | SQL) {
  return sql`not exists (select 1 from user where id = ${userId} and suspended_at is not null)`
}
