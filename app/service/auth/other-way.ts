import { type SQL, sql } from "drizzle-orm"

import type { Configuration } from "../configuration/configuration.ts"
import { opens } from "./account-row.ts"
import { account } from "./auth.table.ts"

/** What is about to go: a row of `account`. */
type Without = { accountId: string | SQL }

/**
 * Condition of whatever takes a way in away: another one is left, of those that the environment offers. As
 * a condition of the batch it also holds for two requests at once, each of which would leave the other's.
 */
export function hasOtherWay(
  configuration: Configuration,
  userId: string | SQL,
  { accountId }: Without,
) {
  return sql`exists (select 1 from ${account} where ${account.userId} = ${userId}
    and ${account.id} <> ${accountId} and ${opens(configuration)})`
}
