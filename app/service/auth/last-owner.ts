import { sql } from "drizzle-orm"

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
