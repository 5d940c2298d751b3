import { eq, sql, type SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import * as z from "zod"

import type { Services } from "../../services.ts"
import type { AuditAction } from "../platform/audit/audit-entry.table.ts"
import { audit } from "../platform/audit/audit.ts"
import { user } from "../platform/database/auth.table.ts"
import { shownColumns } from "../platform/database/columns.ts"
import { sendChange } from "../platform/database/database.ts"
import { userIf } from "../session/caller.ts"
import { provenAdmin, provenOwner } from "../session/procedures.ts"
import { ListedUser, withPlanOf } from "../session/profile.ts"

/**
 * Condition of every action on another account, by the roles at the time it runs. An admin may act on members, an
 * owner on all accounts, and neither on their own.
 */
export function mayActOn(actorId: string | SQL, subjectId: string | SQL) {
  return sql`exists (select 1 from user as actor join user as subject on subject.id <> actor.id
    where actor.id = ${actorId} and subject.id = ${subjectId}
    and (actor.role = 'owner' or (actor.role = 'admin' and subject.role = 'member')))`
}

export const mayNotActOn = "An admin can act on members, an owner on every account except their own"

export const listedColumns = shownColumns(user, ListedUser)

export const notFound = { NOT_FOUND: { status: 404, message: "User not found" } } as const

export const adminActs = provenAdmin.errors(notFound).output(ListedUser)
export const ownerActs = provenOwner.errors(notFound).output(ListedUser)

export const ByUser = z.strictObject({ userId: z.string().max(64) })

export type Acting = { services: Services; member: { id: string }; isSignedIn: SQL }

type Settable =
  | "role"
  | "plan"
  | "planUntil"
  | "suspendedAt"
  | "suspendedFor"
  | "deleteAt"
  | "secondFactorSince"
  | "email"
  | "emailVerified"

type Action = {
  userId: string
  action: AuditAction
  detail?: string
  /** Condition on the user, in addition to the caller's permission. */
  when: SQL
  /** Replaces the condition on the caller's role. Default: `mayActOn`. */
  mayAct?: SQL
  set?: Partial<Pick<typeof user.$inferSelect, Settable>>
  notifies?: boolean
  /**
   * Creates the error to throw if `when` was false. By default nothing is thrown, because the action was already done.
   */
  refusal?: () => Error
  /** Further statements, which run before the user changes. */
  also?: (when: SQL) => Record<string, BatchItem<"sqlite"> | undefined>
}

export type Refusals = {
  FORBIDDEN: (options: { message?: string }) => Error
  NOT_FOUND: () => Error
}

export function hasRole(member: { id: string }, role: SQL) {
  return sql`exists (select 1 from user where id = ${member.id} and role ${role})`
}

/**
 * Runs an action on a user, with its audit entry. Throws if the caller has lost their role or their step-up since the
 * request began.
 */
export async function act(acting: Acting, errors: Refusals, action: Action) {
  const { services, member, isSignedIn } = acting
  const { database, letters } = services
  const { userId, set, also, notifies = false, mayAct = mayActOn(member.id, userId) } = action
  const when = sql`exists (select 1 from user where id = ${userId}) and ${action.when}
    and ${mayAct} and ${isSignedIn}`
  const { isAllowed, found, entry } = await sendChange(database, {
    before: {
      isAllowed: userIf(database, member.id, sql`${mayAct} and ${isSignedIn}`),
      entry: audit({
        database,
        actorId: member.id,
        subjectId: userId,
        action: action.action,
        when,
        ...(action.detail !== undefined && { detail: action.detail }),
        ...(notifies && { letter: letters.owed() }),
      }),
    },
    change: {
      ...also?.(when),
      changed:
        set &&
        database
          .update(user)
          .set({ ...set, updatedAt: new Date() })
          .where(sql`id = ${userId} and ${when}`),
    },
    after: { found: database.select(listedColumns).from(user).where(eq(user.id, userId)) },
  })
  if (found[0] === undefined) throw errors.NOT_FOUND()
  if (isAllowed.length === 0) {
    throw errors.FORBIDDEN(action.mayAct === undefined ? { message: mayNotActOn } : {})
  }
  if (entry.length === 0 && action.refusal) throw action.refusal()
  letters.send(entry)
  return withPlanOf(found[0])
}
