import { and, eq, inArray, isNotNull } from "drizzle-orm"

import type { Database } from "../../database.ts"
import { account, session, user } from "../auth.table.ts"

/** Statement that deletes the account of an address, if nobody has ever proven to own it. */
export function deleteUnproven(database: Database, email: string) {
  return database
    .delete(user)
    .where(and(eq(user.email, email), eq(user.emailVerified, false), isNotNull(user.unprovenSince)))
}

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
    unproven: deleteUnproven(database, email),
    accounts: database.delete(account).where(inArray(account.userId, ids)),
    sessions: database.delete(session).where(inArray(session.userId, ids)),
    profile: database
      .update(user)
      .set({ emailVerified: true, name, image, updatedAt: new Date() })
      .where(unverified),
  }
}
