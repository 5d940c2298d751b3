import { APIError } from "better-auth/api"
import { eq } from "drizzle-orm"

import type { Database } from "../database.ts"
import { user } from "./auth.table.ts"

/** An owner cannot leave as the last one: nobody could make another. */
export const keepLastOwner = async (database: Database, leaverId: string) => {
  const owners = await database
    .select({ id: user.id })
    .from(user)
    .where(eq(user.role, "owner"))
    .limit(2)
  if (owners.length !== 1 || owners[0]?.id !== leaverId) return
  throw new APIError("CONFLICT", {
    code: "LAST_OWNER",
    message: "The last owner must stay; make another one first",
  })
}
