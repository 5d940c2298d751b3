import { and, eq, inArray, sql } from "drizzle-orm"

import type { Database } from "../../database.ts"
import { account, session, user } from "../auth.table.ts"

/** Condition for a sign-up that nobody has proven; or used, since verification was switched off. */
export const isUnproven = sql`(${user.emailVerified} = 0 and ${user.unprovenSince} is not null
  and not exists (select 1 from ${session} where ${session.userId} = ${user.id}))`

type Profile = { email: string; name: string; image: string | null }

/**
 * Statements for an address that an identity provider vouches for: they drop what somebody set who had
 * not proven to own it. An account that was usable without proof, as in a local environment, keeps its
 * data but loses its password, sessions, name and image.
 */
export function dropUnprovenCredentials(database: Database, { email, name, image }: Profile) {
  const unverified = and(eq(user.email, email), eq(user.emailVerified, false))
  const ids = database.select({ id: user.id }).from(user).where(unverified)
  return {
    unproven: database.delete(user).where(and(eq(user.email, email), isUnproven)),
    accounts: database.delete(account).where(inArray(account.userId, ids)),
    sessions: database.delete(session).where(inArray(session.userId, ids)),
    profile: database
      .update(user)
      .set({ emailVerified: true, unprovenSince: null, name, image, updatedAt: new Date() })
      .where(unverified),
  }
}
