import { and, desc, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { user } from "../auth/auth.table.ts"
import { userColumns } from "../auth/caller.ts"
import { leavesAnOwner } from "../auth/last-owner.ts"
import { roles } from "../auth/role.ts"
import { failures } from "../http/failure.ts"
import { plans, withPlanOf } from "../plan/plan.ts"
import { after, pageFrom, pageOf, Paging } from "../rpc/pagination.ts"
import { admin, adminReader, isAdmin } from "../rpc/procedures.ts"
import { Profile } from "../user/user.rpc.ts"
import { audit } from "./audit.ts"

const tags = ["admin"]

const ListedUser = Profile.extend({ plan: z.enum(plans), planUntil: z.date().nullable() })

const ByUser = z.strictObject({ userId: z.string().max(64) })

const notFound = { NOT_FOUND: { status: 404, message: "User not found" } } as const

const makeUserAdmin = admin
  .route({
    method: "POST",
    path: "/makeUserAdmin",
    summary: "Make a member an admin",
    description: "An admin or owner keeps their role.",
    tags,
  })
  .errors(notFound)
  .input(ByUser)
  .output(ListedUser)
  .handler(async ({ context, input: { userId }, errors }) => {
    const { database } = context.services
    const actorId = context.member.id
    const entry = { database, actorId, action: "change_role", subjectId: userId } as const
    const isMember = sql`exists (select 1 from user where id = ${userId} and role = 'member')`
    const mayAct = sql`exists (select 1 from user where id = ${actorId} and role <> 'member')`
    const when = sql`${isMember} and ${mayAct}`
    const [, , [found]] = await database.batch([
      audit({ ...entry, detail: "admin", when }),
      database
        .update(user)
        .set({ role: "admin", updatedAt: new Date() })
        .where(sql`id = ${userId} and ${when}`),
      database.select(userColumns).from(user).where(eq(user.id, userId)),
    ])
    if (found === undefined) throw errors.NOT_FOUND()
    return withPlanOf(found)
  })

const changeRole = admin
  .route({
    method: "POST",
    path: "/changeRole",
    summary: "Change a user's role",
    description: "Owners only. The last owner cannot change their role.",
    tags,
  })
  .errors({
    ...notFound,
    LAST_OWNER: failures.LAST_OWNER,
  })
  .input(ByUser.extend({ role: z.enum(roles) }))
  .output(ListedUser)
  .handler(async ({ context, input: { userId, role }, errors }) => {
    if (context.member.role !== "owner") throw errors.FORBIDDEN()
    const { database } = context.services
    const actorId = context.member.id
    const entry = { database, actorId, action: "change_role", subjectId: userId } as const
    const mayAct = sql`exists (select 1 from user where id = ${actorId} and role = 'owner')`
    const anOwnerRemains = sql`(${role} = 'owner' or ${leavesAnOwner(userId)})`
    const differs = sql`exists (select 1 from user where id = ${userId} and role <> ${role})`
    const when = sql`${differs} and ${mayAct} and ${anOwnerRemains}`
    const [, , [found]] = await database.batch([
      audit({ ...entry, detail: role, when }),
      database
        .update(user)
        .set({ role, updatedAt: new Date() })
        .where(sql`id = ${userId} and ${when}`),
      database
        .select({ ...userColumns, isHeld: sql<number>`not ${anOwnerRemains}` })
        .from(user)
        .where(eq(user.id, userId)),
    ])
    if (found === undefined) throw errors.NOT_FOUND()
    const { isHeld, ...changed } = found
    if (changed.role === role) return withPlanOf(changed)
    // Otherwise somebody has just taken the caller's role.
    throw isHeld === 1 ? errors.LAST_OWNER() : errors.FORBIDDEN()
  })

const grantPremium = admin
  .route({ method: "POST", path: "/grantPremium", summary: "Grant a user the premium plan", tags })
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
  .handler(async ({ context, input: { userId, until }, errors }) => {
    const { database } = context.services
    const when = sql`exists (select 1 from user where id = ${userId})`
    const planUntil = until === null ? null : new Date(until)
    const entry = {
      database,
      actorId: context.member.id,
      action: "grant_premium",
      subjectId: userId,
      detail: until ?? "open end",
      when,
    } as const
    const [, [found]] = await database.batch([
      audit(entry),
      database
        .update(user)
        .set({ plan: "premium", planUntil, updatedAt: new Date() })
        .where(eq(user.id, userId))
        .returning(userColumns),
    ])
    if (found === undefined) throw errors.NOT_FOUND()
    return withPlanOf(found)
  })

const revokePremium = admin
  .route({
    method: "POST",
    path: "/revokePremium",
    summary: "End a user's premium plan",
    tags,
  })
  .errors(notFound)
  .input(ByUser)
  .output(ListedUser)
  .handler(async ({ context, input: { userId }, errors }) => {
    const { database } = context.services
    const when = sql`exists (select 1 from user where id = ${userId} and plan <> 'free')`
    const actorId = context.member.id
    const [, , [found]] = await database.batch([
      audit({ database, actorId, action: "revoke_premium", subjectId: userId, when }),
      database
        .update(user)
        .set({ plan: "free", planUntil: null, updatedAt: new Date() })
        .where(sql`id = ${userId} and ${when}`),
      database.select(userColumns).from(user).where(eq(user.id, userId)),
    ])
    if (found === undefined) throw errors.NOT_FOUND()
    return withPlanOf(found)
  })

const listUsers = adminReader
  .route({ method: "GET", path: "/listUsers", summary: "List all users, newest first", tags })
  .input(Paging)
  .output(pageOf(ListedUser))
  .handler(async ({ context, input }) => {
    const { database } = context.services
    const {
      results: [, rows],
    } = await context.ask((callerId) => [
      audit({ database, actorId: callerId, action: "list_users", when: isAdmin(callerId) }),
      database
        .select(userColumns)
        .from(user)
        .where(and(isAdmin(callerId), after(user, input.cursor)))
        .orderBy(desc(user.createdAt), desc(user.id))
        .limit(input.limit + 1),
    ])
    return pageFrom(rows.map(withPlanOf), input.limit)
  })

export const administration = {
  makeUserAdmin,
  changeRole,
  grantPremium,
  revokePremium,
  listUsers,
}
