import { type SQL, sql } from "drizzle-orm"

/**
 * Condition of every act on somebody else's account, as the roles are when it runs: an admin acts on
 * members, an owner on everybody, and nobody on themselves.
 */
export function mayActOn(actorId: string | SQL, subjectId: string | SQL) {
  return sql`exists (select 1 from user as actor join user as subject on subject.id <> actor.id
    where actor.id = ${actorId} and subject.id = ${subjectId}
    and (actor.role = 'owner' or (actor.role = 'admin' and subject.role = 'member')))`
}

export const mayNotActOn = "An admin acts on members, an owner on everybody but themselves"
