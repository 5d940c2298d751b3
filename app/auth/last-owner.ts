import { APIError } from "better-auth/api"
import { sql } from "drizzle-orm"

import type { Database } from "../database.ts"
import { user } from "./auth.table.ts"

type Leaver = { id: string; role?: unknown }

/** An owner cannot leave as the last one: nobody could make another. */
export async function keepLastOwner(database: Database, leaver: Leaver) {
  if (leaver.role !== "owner") return
  const owners = await database
    .select({ id: user.id })
    .from(user)
    // The first term is that of the index, which SQLite would not use without it.
    .where(sql`role <> 'member' and role = 'owner'`)
    .limit(2)
  if (owners.length !== 1 || owners[0]?.id !== leaver.id) return
  throw new APIError("CONFLICT", {
    code: "LAST_OWNER",
    message: "The last owner must stay; make another one first",
  })
}
