import { type SQL, sql } from "drizzle-orm"

import type { Configuration } from "../configuration/configuration.ts"
import { opens } from "./account-row.ts"
import { account } from "./auth.table.ts"
import { passkey } from "./passkey/passkey.table.ts"

/** What is about to go: a row of `account`, or of `passkey`. */
type Without = { accountId?: string | SQL; passkeyId?: string }

/**
 * Condition of whatever takes a way in away: another one is left, of those that the environment offers. As
 * a condition of the batch it also holds for two requests at once, each of which would leave the other's.
 */
export function hasOtherWay(
  configuration: Configuration,
  userId: string | SQL,
  { accountId = "", passkeyId = "" }: Without,
) {
  const byAccount = sql`exists (select 1 from ${account} where ${account.userId} = ${userId}
    and ${account.id} <> ${accountId} and ${opens(configuration)})`
  // Whoever has the mailbox gets in.
  if (configuration.emailCode) return sql`true`
  if (configuration.passkeys === undefined) return byAccount
  return sql`(${byAccount} or exists (select 1 from ${passkey} where ${passkey.userId} = ${userId}
    and ${passkey.id} <> ${passkeyId}))`
}
