import { sql, type SQL } from "drizzle-orm"

import { createApiError } from "../http/failure.ts"
import { type Factor, type suspensionReasons, user } from "./auth.table.ts"

export type SuspensionReason = (typeof suspensionReasons)[number]

/** A column of `user`: why the account is suspended; null where it is not. */
export const suspension = sql<SuspensionReason | null>`iif(${user.suspendedAt} is null, null, coalesce(${user.suspendedFor}, 'other'))`

/** Told to whoever has just proven that the account is theirs, and to nobody else. */
export function createSuspensionError(reason: SuspensionReason) {
  return createApiError("ACCOUNT_SUSPENDED", undefined, { reason })
}

/**
 * Condition of every session that begins: the account is there, is not suspended, and asks for no second factor, unless one
 * was shown. Triggers of the database say about the same, for versions that know nothing of it.
 */
export function admitsSession(userId: string | SQL, factor: Factor | null) {
  const asksNone = factor === null ? sql` and second_factor_since is null` : sql``
  return sql`exists (select 1 from user where id = ${userId} and suspended_at is null${asksNone})`
}
