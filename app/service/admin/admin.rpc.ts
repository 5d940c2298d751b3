import {
  and,
  asc,
  desc,
  eq,
  gte,
  isNotNull,
  isNull,
  type SQL,
  sql,
  type SQLWrapper,
} from "drizzle-orm"
import * as z from "zod"

import { leavesAnOwner } from "../account/deletion/deletion-statements.ts"
import { audit } from "../platform/audit/audit.ts"
import type { Configuration } from "../platform/configuration/configuration.ts"
import { formerAddress, lastWord, roles, user } from "../platform/database/auth.table.ts"
import type { Records } from "../platform/database/records.ts"
import { failing } from "../platform/http/failure.ts"
import { after, pageFrom, pageOf, Paging } from "../platform/rpc/pagination.ts"
import { adminReader, isAdmin } from "../session/procedures.ts"
import { ListedUser, withPlanOf } from "../session/profile.ts"
import { lastSignInAt } from "./access.rpc.ts"
import { act, type Acting, adminActs, ByUser, hasRole, listedColumns, ownerActs } from "./act.ts"

/** Condition: if this environment verifies addresses, the owner of the address has verified the account. */
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

const states = ["active", "suspended", "unverified", "deletion"] as const

const UserQuery = Paging.extend({
  state: z.enum(states).optional(),
  role: z.enum(roles).optional(),
  search: Typed,
  email: Typed,
  formerEmail: Typed,
  id: z.string().min(1).max(64).optional(),
})

/** Sorts after every text that begins with it. */
const lastCharacter = "\u{10ffff}"

/** Selects ids of users with an indexed text that begins with `typed`, at most `limit`. */
function beginning(text: SQL, typed: string, limit: number) {
  return sql`select id from (select id from ${user} where ${text} >= ${typed}
    and ${text} < ${typed + lastCharacter} order by ${text} limit ${limit})`
}

/** Returns the possible owners of an id: the user with the id, and the owner of the record with it. */
function ownersOf(id: string, records: Records[]) {
  const owners = records.flatMap(({ ownerOf }) => ownerOf?.(id) ?? [])
  return sql.join([sql`${id}`, ...owners], sql`, `)
}

type Query = z.infer<typeof UserQuery>

/** Rows that one request reads for a filter without an index. */
const maxScanned = 1000

function filterOf({ state, role }: Query, { verifyEmail }: Configuration) {
  const isState = {
    suspended: isNotNull(user.suspendedAt),
    deletion: isNotNull(user.deleteAt),
    unverified: eq(user.emailVerified, false),
    active: and(
      isNull(user.suspendedAt),
      isNull(user.deleteAt),
      verifyEmail ? eq(user.emailVerified, true) : undefined,
    ),
  }
  return and(state && isState[state], role && eq(user.role, role))
}

/** Condition of the partial index that contains all rows of the filter, which are few. */
function rareRows({ state, role }: Query) {
  if (state === "suspended") return sql`suspended_at is not null`
  if (state === "deletion") return sql`delete_at is not null`
  return role === undefined || role === "member" ? undefined : sql`role <> 'member'`
}

/** Keeps SQLite from reading all users in this order if their ids are known: `+` hides the index. */
function unindexed(column: SQLWrapper) {
  return sql`+${column}`
}

function newestBy(createdAt: SQLWrapper) {
  return [desc(createdAt), desc(user.id)]
}

type Selection = {
  where: SQL | undefined
  order: SQL[]
  most?: number
  /** Ids in the order of the list; `where` selects the first `maxScanned` of them. */
  scanned?: SQL
}

/** Returns the condition and the order of the list. One index supports both. */
function selectionOf(query: Query, records: Records[]): Selection {
  const { search, email, formerEmail, id, cursor, limit, state, role } = query
  const isFiltered = state !== undefined || role !== undefined
  if (search !== undefined) {
    const names = [user.name, lastWord(user.name)].map((name) => sql`${name} collate nocase`)
    const beginnings = [sql`${user.email}`, ...names].map((text) =>
      beginning(text, search, isFiltered ? maxScanned : limit),
    )
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
  const rare = email === undefined ? rareRows(query) : undefined
  if (rare !== undefined) {
    const createdAt = unindexed(user.createdAt)
    const where = sql`${user.id} in (select id from ${user} where ${rare})`
    return {
      where: and(where, after({ createdAt, id: user.id }, cursor)),
      order: newestBy(createdAt),
    }
  }
  const where = email === undefined ? after(user, cursor) : addressesFrom(email, cursor)
  const orderBy = (sign = (column: SQLWrapper) => sql`${column}`) =>
    email === undefined ? newestBy(sign(user.createdAt)) : [asc(sign(user.email))]
  if (!isFiltered) return { where, order: orderBy() }
  const scanned = sql`select id from ${user} where ${where ?? sql`true`} order by ${sql.join(orderBy(), sql`, `)}`
  return {
    where: sql`${user.id} in (${scanned} limit ${maxScanned})`,
    order: orderBy(unindexed),
    scanned,
  }
}

function addressesFrom(email: string, cursor: Query["cursor"]) {
  // A cursor of another search or list never leads outside this search.
  const isFirst = cursor === undefined || cursor.id < email
  const from = isFirst ? gte(user.email, email) : sql`${user.email} > ${cursor.id}`
  return and(from, sql`${user.email} < ${email + lastCharacter}`)
}

const listUsers = adminReader
  .route({ method: "GET" })
  .input(UserQuery)
  .output(
    pageOf(
      ListedUser.extend({
        lastSignInAt: z.date().nullable(),
      }),
    ),
  )
  .handler(async ({ context, input }) => {
    const { database, records, configuration } = context.services
    const { where, order, most = input.limit, scanned } = selectionOf(input, records)
    const filter = filterOf(input, configuration) ?? sql`true`
    const isLastScanned = scanned
      ? sql`${user.id} = (${scanned} limit 1 offset ${maxScanned - 1})`
      : sql`false`
    const {
      results: [, rows],
    } = await context.ask((callerId) => [
      audit({ database, actorId: callerId, action: "list_users", when: isAdmin(callerId) }),
      database
        .select({
          ...listedColumns,
          lastSignInAt,
          matches: sql<boolean>`${filter}`.mapWith(Boolean).as("matches"),
          isLastScanned: sql<boolean>`${isLastScanned}`.mapWith(Boolean).as("is_last_scanned"),
        })
        .from(user)
        .where(and(isAdmin(callerId), where, sql`(${filter} or ${isLastScanned})`))
        .orderBy(...order)
        .limit(most + 1),
    ])
    const position = ({ createdAt, id, email }: (typeof rows)[number]) => ({
      createdAt,
      id: input.email === undefined ? id : email,
    })
    const members = rows.filter(({ matches }) => matches).map(withPlanOf)
    if (input.search === undefined) {
      const lastScanned = rows.find((row) => row.isLastScanned)
      return pageFrom(members, input.limit, position, lastScanned)
    }
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
