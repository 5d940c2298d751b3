import { and, eq, sql, type SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import type { Configuration } from "../../platform/configuration/configuration.ts"
import { user } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"
import { accountHash, type Records } from "../../platform/database/records.ts"
import { endVerifications } from "../../session/access-ending.ts"

/**
 * Condition of the statement that demotes or deletes a user: the user is no owner, or another owner who can act is
 * left. Without an owner, no other could be appointed. A read before the change would let two owners leave at once.
 */
export function leavesAnOwner(userId: string) {
  // SQLite uses the partial index only if its condition is repeated.
  return sql`(not exists (select 1 from user where id = ${userId} and role = 'owner')
    or exists (select 1 from user where role <> 'member' and role = 'owner' and id <> ${userId}
      and suspended_at is null))`
}

/**
 * Returns the batch that deletes an account and its data, and archives the records that the law requires. Every
 * deletion of an account uses it. `deleted` is the last statement, and returns a row if the account was deleted.
 * `finish` runs the follow-up work with the results of the statements.
 */
export function deletionStatements(
  { database, records }: { database: Database; records: Records[] },
  userId: string,
  when: SQL,
) {
  const leaving = { database, userId, hash: accountHash(userId), when }
  // Two features may use the same statement name, so the key has the index of the feature.
  const parts = records.map(({ leave, finish }, noun) => ({
    named: Object.entries(leave?.(leaving) ?? {}).map(([name, statement]) => ({
      name,
      key: `${noun} ${name}`,
      one: statement,
    })),
    finish,
  }))
  const entries = parts.flatMap(({ named }) => named.map(({ key, one }) => [key, one] as const))
  const byKey: Record<string, BatchItem<"sqlite">> = Object.fromEntries(entries)
  return {
    statements: {
      resets: endVerifications(database, userId, when),
      ...byKey,
      deleted: database
        .delete(user)
        .where(and(eq(user.id, userId), when))
        .returning({ id: user.id }),
    },
    finish: async (results: Record<string, unknown>, configuration: Configuration) => {
      const finishing = parts.flatMap(({ named, finish }) => {
        const returned = named.map(({ name, key }) => [name, results[key]] as const)
        return finish === undefined ? [] : [finish(Object.fromEntries(returned), configuration)]
      })
      await Promise.all(finishing)
    },
  }
}
