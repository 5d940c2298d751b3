import { eq, sql } from "drizzle-orm"
import * as z from "zod"

import type { Database } from "../database.ts"
import { user } from "./auth.table.ts"

const maxFailures = 10
/** Milliseconds. */
const window = 15 * 60 * 1000

const Counter = z.object({
  signInFailures: z.number(),
  signInFailuresSince: z.date().nullish(),
})

/** The counter is read with the user, so checking it costs no query. */
export function readCounter(signedIn: unknown) {
  const { signInFailures: failures, signInFailuresSince: since } = Counter.parse(signedIn)
  const isRecent = (since?.getTime() ?? 0) > Date.now() - window
  return { failures, isBlocked: failures >= maxFailures && isRecent }
}

/** Counts a wrong password for the address. True once the account is blocked. */
export async function countFailure(database: Database, email: string) {
  const now = Date.now()
  const recent = sql`coalesce(${user.signInFailuresSince}, 0) > ${now - window}`
  const [row] = await database
    .update(user)
    .set({
      signInFailures: sql`case when ${recent} then ${user.signInFailures} + 1 else 1 end`,
      signInFailuresSince: sql`case when ${recent} then ${user.signInFailuresSince} else ${now} end`,
    })
    .where(eq(user.email, email))
    .returning({ failures: user.signInFailures })
  return (row?.failures ?? 0) > maxFailures
}

export function resetFailures(database: Database, userId: string) {
  return database
    .update(user)
    .set({ signInFailures: 0, signInFailuresSince: null })
    .where(eq(user.id, userId))
}
