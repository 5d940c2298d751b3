import { and, eq, inArray, sql } from "drizzle-orm"

import type { Database } from "../../database/database.ts"
import { account, session, user } from "../auth.table.ts"

/** Condition for a sign-up that nobody has proven; or used, since verification was switched off. */
export const isUnproven = sql`(${user.emailVerified} = 0 and ${user.unprovenSince} is not null
  and not exists (select 1 from ${session} where ${session.userId} = ${user.id}))`

/** Condition for an account whose address its owner may still prove, and end what others set. */
export const isOpen = sql`(${user.emailVerified} = 0 or ${user.unprovenSince} is not null)`

type Profile = { email: string; name: string; image: string | null }

/**
 * Statements for an address that an identity provider vouches for: they drop what somebody set who had
 * not proven to own it. An account that was usable without proof, as in a local environment, or by a
 * provider that is not the authority on the address, keeps its data but loses its ways to sign in,
 * sessions, name and image.
 */
export function dropUnprovenCredentials(database: Database, { email, name, image }: Profile) {
  const open = and(eq(user.email, email), isOpen)
  const ids = database.select({ id: user.id }).from(user).where(open)
  return {
    unproven: database.delete(user).where(and(eq(user.email, email), isUnproven)),
    accounts: database.delete(account).where(inArray(account.userId, ids)),
    sessions: database.delete(session).where(inArray(session.userId, ids)),
    profile: database
      .update(user)
      .set({ emailVerified: true, unprovenSince: null, name, image, updatedAt: new Date() })
      .where(open),
  }
}
