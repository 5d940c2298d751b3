import { and, asc, desc, gte, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import { leavesAnOwner } from "../account/deletion/deletion-statements.ts"
import { audit } from "../platform/audit/audit.ts"
import { formerAddress, lastWord, roles, user } from "../platform/database/auth.table.ts"
import type { Records } from "../platform/database/records.ts"
import { failing } from "../platform/http/failure.ts"
import { after, pageFrom, pageOf, Paging } from "../platform/rpc/pagination.ts"
import { adminReader, isAdmin } from "../session/procedures.ts"
import { ListedUser, withPlanOf } from "../session/profile.ts"
import { lastSignInAt } from "./access.rpc.ts"
import { act, type Acting, adminActs, ByUser, hasRole, listedColumns, ownerActs } from "./act.ts"

/** Condition: if addresses are verified here, the owner of the address has verified the account. */
function isTheirs({ services }: Acting, userId: string) {
  if (!services.configuration.verifyEmail) return sql`true`
  return sql`exists (select 1 from user where id = ${userId} and email_verified = 1)`
}

const makeUserAdmin = adminActs
  .errors(failing("MEMBER_NOT_VERIFIED"))
  .input(ByUser)
  .handler(async ({ context, input: { userId }, errors }) => {
    const changed = await act(context, errors, {
      userId,
      action: "change_role",
      detail: "admin",
      when: sql`exists (select 1 from user where id = ${userId} and role = 'member')
        and ${isTheirs(context, userId)}`,
      mayAct: hasRole(context.member, sql`<> 'member'`),
      set: { role: "admin" },
      notifies: true,
    })
    if (changed.role === "member") throw errors.MEMBER_NOT_VERIFIED()
    return changed
  })

const changeRole = ownerActs
  .errors(failing("LAST_OWNER", "MEMBER_NOT_VERIFIED"))
  .input(ByUser.extend({ role: z.enum(roles) }))
  .handler(async ({ context, input: { userId, role }, errors }) => {
    const anOwnerRemains = sql`(${role} = 'owner' or ${leavesAnOwner(userId)})`
    const differs = sql`exists (select 1 from user where id = ${userId} and role <> ${role})`
    const changed = await act(context, errors, {
      userId,
      action: "change_role",
      detail: role,
      when: sql`${differs} and ${anOwnerRemains} and (${role} = 'member' or ${isTheirs(context, userId)})`,
      // Owners may act on themselves, as long as another owner is left.
      mayAct: hasRole(context.member, sql`= 'owner'`),
      set: { role },
      notifies: true,
    })
    if (changed.role === role) return changed
    throw changed.role === "owner" ? errors.LAST_OWNER() : errors.MEMBER_NOT_VERIFIED()
  })

const grantPremium = adminActs
  .input(
    ByUser.extend({
      until: z.iso
        .datetime({ offset: true })
        .refine((until) => Date.parse(until) > Date.now(), "Must be in the future")
        .transform((until) => new Date(until))
        .nullable(),
    }),
  )
  .handler(({ context, input: { userId, until }, errors }) =>
    act(context, errors, {
      userId,
      action: "grant_premium",
      detail: until?.toISOString() ?? "open end",
      when: sql`true`,
      set: { plan: "premium", planUntil: until },
    }),
  )

const revokePremium = adminActs.input(ByUser).handler(({ context, input: { userId }, errors }) =>
  act(context, errors, {
    userId,
    action: "revoke_premium",
    when: sql`exists (select 1 from user where id = ${userId} and plan <> 'free')`,
    set: { plan: "free", planUntil: null },
  }),
)

const Typed = z.string().trim().toLowerCase().min(1).max(254).optional()

const Found = Paging.extend({
  search: Typed,
  email: Typed,
  formerEmail: Typed,
  id: z.string().min(1).max(64).optional(),
})

/** Sorts after every text that begins with it. */
const lastCharacter = "\u{10ffff}"

/** Ids of those of whom a text that has an index begins so, as many as a page has. */
function beginning(text: SQL, typed: string, limit: number) {
  return sql`select id from (select id from ${user} where ${text} >= ${typed}
    and ${text} < ${typed + lastCharacter} order by ${text} limit ${limit})`
}

/** Returns the owners of an id: the id itself, and the owner of the record with it. */
function ownersOf(id: string, records: Records[]) {
  const owners = records.flatMap(({ ownerOf }) => ownerOf?.(id) ?? [])
  return sql.join([sql`${id}`, ...owners], sql`, `)
}

/** Returns filter and order of the list, each supported by one index. */
function selectionOf(
  { search, email, formerEmail, id, cursor, limit }: z.infer<typeof Found>,
  records: Records[],
) {
  if (search !== undefined) {
    const names = [user.name, lastWord(user.name)].map((name) => sql`${name} collate nocase`)
    const beginnings = [sql`${user.email}`, ...names].map((text) => beginning(text, search, limit))
    const formerOwners = sql`select ${formerAddress.userId} from ${formerAddress}
      where ${formerAddress.email} = ${search}`
    const where = sql`(${user.id} in (select ${search} union all ${formerOwners}
      union all ${sql.join(beginnings, sql` union all `)}) or ${user.id} in (${ownersOf(search, records)}))`
    return { where, order: [], most: 4 * limit }
  }
  if (id !== undefined) {
    return { where: sql`${user.id} in (${ownersOf(id, records)})`, order: [] }
  }
  if (formerEmail !== undefined) {
    const owners = sql`(select ${formerAddress.userId} from ${formerAddress}
      where ${formerAddress.email} = ${formerEmail})`
    return { where: sql`${user.id} in ${owners}`, order: [] }
  }
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
  .route({ method: "GET" })
  .input(Found)
  .output(
    pageOf(
      ListedUser.extend({
        lastSignInAt: z.date().nullable(),
      }),
    ),
  )
  .handler(async ({ context, input }) => {
    const { database, records } = context.services
    const { where, order, most = input.limit } = selectionOf(input, records)
    const {
      results: [, rows],
    } = await context.ask((callerId) => [
      audit({ database, actorId: callerId, action: "list_users", when: isAdmin(callerId) }),
      database
        .select({ ...listedColumns, lastSignInAt })
        .from(user)
        .where(and(isAdmin(callerId), where))
        .orderBy(...order)
        .limit(most + 1),
    ])
    const position = ({ createdAt, id, email }: (typeof rows)[number]) => ({
      createdAt,
      id: input.email === undefined ? id : email,
    })
    const members = rows.map(withPlanOf)
    if (input.search === undefined) return pageFrom(members, input.limit, position)
    const byName = members.toSorted((a, b) => a.name.localeCompare(b.name))
    return { items: byName.slice(0, input.limit), nextCursor: null }
  })

export const administration = {
  makeUserAdmin,
  changeRole,
  grantPremium,
  revokePremium,
  listUsers,
}
