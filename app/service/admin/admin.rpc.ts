import { and, asc, desc, eq, gte, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import { plans, withPlanOf } from "../../plan/plan.ts"
import type { Services } from "../../services.ts"
import { user } from "../auth/auth.table.ts"
import { userColumns } from "../auth/caller.ts"
import { leavesAnOwner } from "../auth/last-owner.ts"
import { roles } from "../auth/role.ts"
import { sendNamed } from "../database/named-batch.ts"
import { failures } from "../http/failure.ts"
import { after, pageFrom, pageOf, Paging } from "../rpc/pagination.ts"
import { admin, adminReader, isAdmin, owner } from "../rpc/procedures.ts"
import { Profile } from "../user/user.rpc.ts"
import type { AuditAction } from "./audit-entry.table.ts"
import { audit } from "./audit.ts"
import { mayActOn, mayNotActOn } from "./may-act-on.ts"

const ListedUser = Profile.extend({ plan: z.enum(plans), planUntil: z.date().nullable() })

const ByUser = z.strictObject({ userId: z.string().max(64) })

const notFound = { NOT_FOUND: { status: 404, message: "User not found" } } as const

type Acting = { services: Services; member: { id: string }; isSignedIn: SQL }

type Action = {
  userId: string
  action: AuditAction
  detail?: string
  /** Condition on the user, beside that the caller may still act. */
  when: SQL
  /** Condition on the caller's role, where the matrix of who acts on whom does not decide. */
  mayAct?: SQL
  set: Partial<Pick<typeof user.$inferSelect, "role" | "plan" | "planUntil">>
}

type Refusals = {
  FORBIDDEN: (options: { message?: string }) => Error
  NOT_FOUND: () => Error
}

/** Condition that the caller still has a role. */
function hasRole(member: { id: string }, role: SQL) {
  return sql`exists (select 1 from user where id = ${member.id} and role ${role})`
}

/** Changes a user and says so in the audit log. Throws if the caller has lost their role meanwhile. */
async function act(acting: Acting, errors: Refusals, action: Action) {
  const { services, member, isSignedIn } = acting
  const { database } = services
  const { userId, set, mayAct = mayActOn(member.id, action.userId), ...said } = action
  const letter = action.action === "change_role" ? services.letters.owed() : undefined
  const when = sql`exists (select 1 from user where id = ${userId}) and ${action.when}
    and ${mayAct} and ${isSignedIn}`
  const { isAllowed, entry, found } = await sendNamed(database, {
    isAllowed: database
      .select({ id: user.id })
      .from(user)
      .where(sql`id = ${member.id} and ${mayAct} and ${isSignedIn}`),
    entry: audit({
      ...said,
      database,
      actorId: member.id,
      subjectId: userId,
      when,
      ...(letter && { letter }),
    }),
    changed: database
      .update(user)
      .set({ ...set, updatedAt: new Date() })
      .where(sql`id = ${userId} and ${when}`),
    found: database.select(userColumns).from(user).where(eq(user.id, userId)),
  })
  if (found[0] === undefined) throw errors.NOT_FOUND()
  if (isAllowed.length === 0) {
    throw errors.FORBIDDEN(action.mayAct === undefined ? { message: mayNotActOn } : {})
  }
  services.letters.send(entry)
  return withPlanOf(found[0])
}

const makeUserAdmin = admin
  .route({ summary: "Make a member an admin", description: "An admin or owner keeps their role." })
  .errors(notFound)
  .input(ByUser)
  .output(ListedUser)
  .handler(({ context, input: { userId }, errors }) =>
    act(context, errors, {
      userId,
      action: "change_role",
      detail: "admin",
      when: sql`exists (select 1 from user where id = ${userId} and role = 'member')`,
      mayAct: hasRole(context.member, sql`<> 'member'`),
      set: { role: "admin" },
    }),
  )

const changeRole = owner
  .route({
    summary: "Change a user's role",
    description: "Owners only. The last owner cannot change their role.",
  })
  .errors({ ...notFound, LAST_OWNER: failures.LAST_OWNER })
  .input(ByUser.extend({ role: z.enum(roles) }))
  .output(ListedUser)
  .handler(async ({ context, input: { userId, role }, errors }) => {
    const anOwnerRemains = sql`(${role} = 'owner' or ${leavesAnOwner(userId)})`
    const differs = sql`exists (select 1 from user where id = ${userId} and role <> ${role})`
    const changed = await act(context, errors, {
      userId,
      action: "change_role",
      detail: role,
      when: sql`${differs} and ${anOwnerRemains}`,
      // Also on themselves, as long as another is left.
      mayAct: hasRole(context.member, sql`= 'owner'`),
      set: { role },
    })
    if (changed.role !== role) throw errors.LAST_OWNER()
    return changed
  })

const grantPremium = admin
  .route({ summary: "Grant a user the premium plan" })
  .errors(notFound)
  .input(
    ByUser.extend({
      until: z.iso
        .datetime({ offset: true })
        .refine((until) => Date.parse(until) > Date.now(), "The end must be in the future")
        .nullable()
        .describe("Null: no end date"),
    }),
  )
  .output(ListedUser)
  .handler(({ context, input: { userId, until }, errors }) =>
    act(context, errors, {
      userId,
      action: "grant_premium",
      detail: until ?? "open end",
      when: sql`true`,
      set: { plan: "premium", planUntil: until === null ? null : new Date(until) },
    }),
  )

const revokePremium = admin
  .route({ summary: "End a user's premium plan" })
  .errors(notFound)
  .input(ByUser)
  .output(ListedUser)
  .handler(({ context, input: { userId }, errors }) =>
    act(context, errors, {
      userId,
      action: "revoke_premium",
      when: sql`exists (select 1 from user where id = ${userId} and plan <> 'free')`,
      set: { plan: "free", planUntil: null },
    }),
  )

const Found = Paging.extend({
  email: z
    .string()
    .trim()
    .toLowerCase()
    .min(1)
    .max(254)
    .optional()
    .describe("How the address begins, or all of it"),
})

/** Sorts after every text that begins with it. */
const lastCharacter = "\u{10ffff}"

/** What the list has, and in which order: of one index each, whoever are there. */
function selectionOf({ email, cursor }: z.infer<typeof Found>) {
  if (email === undefined) {
    return { where: after(user, cursor), order: [desc(user.createdAt), desc(user.id)] }
  }
  // The cursor of another search, or list, leads out of none.
  const isFirst = cursor === undefined || cursor.id < email
  const from = isFirst ? gte(user.email, email) : sql`${user.email} > ${cursor.id}`
  const until = sql`${user.email} < ${email + lastCharacter}`
  return { where: and(from, until), order: [asc(user.email)] }
}

const listUsers = adminReader
  .route({
    method: "GET",
    summary: "List all users, newest first",
    description: "With `email`, those whose address begins with it, by address.",
  })
  .input(Found)
  .output(pageOf(ListedUser))
  .handler(async ({ context, input }) => {
    const { database } = context.services
    const { where, order } = selectionOf(input)
    const {
      results: [, rows],
    } = await context.ask((callerId) => [
      audit({ database, actorId: callerId, action: "list_users", when: isAdmin(callerId) }),
      database
        .select(userColumns)
        .from(user)
        .where(and(isAdmin(callerId), where))
        .orderBy(...order)
        .limit(input.limit + 1),
    ])
    const position = ({ createdAt, id, email }: (typeof rows)[number]) => ({
      createdAt,
      id: input.email === undefined ? id : email,
    })
    return pageFrom(rows.map(withPlanOf), input.limit, position)
  })

export const administration = {
  makeUserAdmin,
  changeRole,
  grantPremium,
  revokePremium,
  listUsers,
}
