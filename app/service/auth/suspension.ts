import { type SQL, sql } from "drizzle-orm"

import type { Factor } from "./factor/factor.ts"

/** Why an account is suspended: a list, since the audit log holds nothing personal. */
export const suspensionReasons = ["abuse", "security", "payment", "request", "other"] as const

/**
 * Condition of every session that begins: the account is there, is not suspended, and asks for no second factor, unless one
 * was shown. Triggers of the database say about the same, for versions that know nothing of it.
 */
export function admitsSession(userId: string | SQL, factor: Factor | null) {
  const asksNone = factor === null ? sql` and second_factor_since is null` : sql``
  return sql`exists (select 1 from user where id = ${userId} and suspended_at is null${asksNone})`
}
