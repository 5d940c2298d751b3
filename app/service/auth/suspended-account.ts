import { sql } from "drizzle-orm"

import { createApiError } from "./api-error.ts"
import { user } from "./auth.table.ts"
import type { suspensionReasons } from "./suspension.ts"

export type SuspensionReason = (typeof suspensionReasons)[number]

/** A column of `user`: why the account is suspended; null where it is not. */
export const suspension = sql<SuspensionReason | null>`iif(${user.suspendedAt} is null, null, coalesce(${user.suspendedFor}, 'other'))`

/** Told to whoever has just proven that the account is theirs, and to nobody else. */
export function createSuspensionError(reason: SuspensionReason) {
  return createApiError("ACCOUNT_SUSPENDED", undefined, { reason })
}
