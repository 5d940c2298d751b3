import { sql } from "drizzle-orm"

import type { Database } from "../database.ts"
import { createApiError } from "./api-error.ts"
import { user } from "./auth.table.ts"

type Leaving = { id: string; role?: unknown }

/** Throws LAST_OWNER for the only owner left: without one, no other could be appointed. */
export async function keepLastOwner(database: Database, leaving: Leaving) {
  if (leaving.role !== "owner") return
  const owners = await database
    .select({ id: user.id })
    .from(user)
    // SQLite uses the partial index only if its condition is repeated.
    .where(sql`role <> 'member' and role = 'owner'`)
    .limit(2)
  if (owners.length !== 1 || owners[0]?.id !== leaving.id) return
  throw createApiError("LAST_OWNER")
}
