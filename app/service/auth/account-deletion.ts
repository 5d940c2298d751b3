import { waitUntil } from "cloudflare:workers"
import { and, eq, sql, type SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import { records } from "../../records.ts"
import { auditOwn } from "../admin/audit.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { type Database, sendNamed } from "../database/database.ts"
import { createApiError } from "../http/failure.ts"
import { accountHash } from "../user/records.ts"
import { endVerifications } from "./access-ending.ts"
import {
  assuredSession,
  isStillProven,
  needsNoFactor,
  requireProof,
} from "./assurance/assurance.ts"
import { user } from "./auth.table.ts"
import { isStillSignedIn } from "./caller.ts"
import { takeSession } from "./cookie/session-binding.ts"
import { type Dependencies, post } from "./endpoint.ts"
import { attemptCredential, checkCurrentPassword } from "./password/password.ts"

/**
 * Replaces the library's deletion of an account, which asks for no password on a fresh session, and
 * whose last owner's rule would be a read before the change.
 */
export function accountDeletion(dependencies: Dependencies) {
  const { configuration, database, attempts } = dependencies
  const deleteUser = post("/delete-user", assuredSession(dependencies), async (context) => {
    const { session, user: leaving } = context.context.session
    const { password } = context.body
    // One that opens nothing proves nothing.
    const credential =
      password !== undefined && configuration.passwords
        ? await attemptCredential({ database, attempts }, leaving.id)
        : undefined
    const isProof = credential !== undefined && !session.needsFactor
    if (!isProof) await requireProof(dependencies, session, context.headers)
    if (credential !== undefined) await checkCurrentPassword(credential.hash, password ?? "")
    const isSignedIn = isProof
      ? sql`${isStillSignedIn(session)} and ${needsNoFactor(session)}`
      : isStillProven(session)
    const mayLeave = sql`${isSignedIn} and ${leavesAnOwner(leaving.id)}`
    const leaves = sql`${mayLeave} and ${attempts.isWithin("leaving", leaving.email)}`
    const { statements, finish } = deletionStatements(database, leaving.id, leaves)
    const { counted, left, ...results } = await sendNamed(database, {
      counted: attempts.count("leaving", leaving.email, mayLeave),
      entry: auditOwn({ database, action: "delete_account", userId: leaving.id, when: leaves }),
      ...statements,
      left: database
        .select({ isSignedIn: sql<number>`${isSignedIn}` })
        .from(user)
        .where(eq(user.id, leaving.id)),
    })
    if (left[0] !== undefined) {
      attempts.admit("leaving", counted)
      throw createApiError(left[0].isSignedIn === 1 ? "LAST_OWNER" : "UNAUTHORIZED")
    }
    waitUntil(finish(results, configuration))
    takeSession(context)
    return context.json({ success: true, message: "User deleted" })
  })
  return { deleteUser }
}

/**
 * Condition of the statement that demotes or deletes a user: an owner who can act is left afterwards, or the user
 * was none. Without an owner, no other could be appointed. A read before the change would let two
 * owners leave at once.
 */
export function leavesAnOwner(userId: string) {
  // SQLite uses the partial index only if its condition is repeated.
  return sql`(not exists (select 1 from user where id = ${userId} and role = 'owner')
    or exists (select 1 from user where role <> 'member' and role = 'owner' and id <> ${userId}
      and suspended_at is null))`
}

/**
 * Statements that delete an account with all that goes with it, and keep what the law wants: whatever
 * deletes an account sends these. `deleted` is the last, and returns a row if they did. `finish` does what is left
 * to do then, with what they returned.
 */
export function deletionStatements(database: Database, userId: string, when: SQL) {
  const leaving = { database, userId, hash: accountHash(userId), when }
  // Each noun's names are its own: two may have the same.
  const own = records.map(({ leave, finish }, noun) => ({
    named: Object.entries(leave?.(leaving) ?? {}).map(([name, one]) => ({
      name,
      key: `${noun} ${name}`,
      one,
    })),
    finish,
  }))
  const entries = own.flatMap(({ named }) => named.map(({ key, one }) => [key, one] as const))
  const kept: Record<string, BatchItem<"sqlite">> = Object.fromEntries(entries)
  return {
    statements: {
      resets: endVerifications(database, userId, when),
      ...kept,
      deleted: database
        .delete(user)
        .where(and(eq(user.id, userId), when))
        .returning({ id: user.id }),
    },
    finish: async (results: Record<string, unknown>, configuration: Configuration) => {
      const left = own.flatMap(({ named, finish }) => {
        const returned = named.map(({ name, key }) => [name, results[key]] as const)
        return finish === undefined ? [] : [finish(Object.fromEntries(returned), configuration)]
      })
      await Promise.all(left)
    },
  }
}
