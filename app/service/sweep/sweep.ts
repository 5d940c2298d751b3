import { and, eq, isNotNull, lte, sql } from "drizzle-orm"

import type { Services } from "../../services.ts"
import { deletionStatements, leavesAnOwner } from "../account/deletion/deletion-statements.ts"
import { allowances, longestWindow } from "../guard/attempts.ts"
import { audit } from "../platform/audit/audit.ts"
import type { Env } from "../platform/configuration/env.ts"
import { formerAddress, user } from "../platform/database/auth.table.ts"
import { boundDatabase } from "../platform/database/bounded-database.ts"
import { createId, sendChange } from "../platform/database/database.ts"
import type { Expired, Records } from "../platform/database/records.ts"
import { log, reasonOf } from "../platform/http/log.ts"
import { letterLifetime } from "../platform/mail/owed-letters.ts"
import { unproven } from "../session/proof.ts"
import { resealFactors } from "../sign-in/second-factor/reseal.ts"

/** Bounds a statement's run time, which D1 limits. */
const rowsPerStatement = 1000
/**
 * Limit for one run, below D1's own. A backlog of one kind can use all of them, for up to 900,000 rows; the next run
 * continues. https://developers.cloudflare.com/d1/platform/limits/
 */
const maxStatements = 900

const hour = 60 * 60 * 1000
const day = 24 * hour
const auditRetention = 2 * 365 * day
const signInRetention = 90 * day
/** Equal to the validity of the link in the email. */
const unprovenLifetime = day
/**
 * Limit for the total of rows that strangers create: unverified sign-ups, and requests for addresses without an
 * account.
 */
const maxOfStrangers = 100_000
/** Limit for the total of denied sign-ins. */
const maxRefused = 300_000

function expiredRows(records: Records[], now: number): [name: string, Expired][] {
  const ownRecords: Record<string, Expired> = {
    sessions: { table: "session", where: "expires_at < ?1", values: [now] },
    verifications: { table: "verification", where: "expires_at < ?1", values: [now] },
    invitations: { table: "invitation", where: "expires_at < ?1", values: [now] },
    addresses: { table: "former_address", where: "until < ?1", values: [now] },
    browsers: { table: "trusted_browser", where: "expires_at < ?1", values: [now] },
    // Authenticator apps that were never confirmed.
    factors: {
      table: "second_factor",
      where: "confirmed_at is null and created_at < ?1",
      values: [now - hour],
    },
    attempts: { table: "attempt", where: "since < ?1", values: [now - longestWindow] },
    challenges: {
      table: "attempt",
      where: "since < ?1 and key >= 'once:' and key < 'once;'",
      values: [now - allowances.once.window],
    },
    unproven: {
      table: "user",
      where: `unproven_since < ?1 and ${unproven}`,
      values: [now - unprovenLifetime],
    },
    // Keeps only the newest unverified sign-ups.
    crowd: {
      table: "user",
      where: `unproven_since < (select unproven_since from user
        where unproven_since is not null and email_verified = 0
        order by unproven_since desc limit 1 offset ?1) and ${unproven}`,
      values: [maxOfStrangers],
    },
    ownerless: {
      table: "verification",
      where: `value = '' and expires_at < (select expires_at from verification where value = ''
        order by expires_at desc limit 1 offset ?1)`,
      values: [maxOfStrangers],
    },
    refusals: {
      table: "audit_entry",
      where: `action = 'sign_in_refused' and created_at < (select created_at from audit_entry
        where action = 'sign_in_refused' order by created_at desc limit 1 offset ?1)`,
      values: [maxRefused],
    },
    // A smoke address contains the second in which it expires.
    smokes: {
      table: "user",
      where: "email >= 'smoke-' and email < ?1 and email like 'smoke-%@accounts.invalid'",
      values: [`smoke-${Math.floor(now / 1000)}`],
    },
    audits: { table: "audit_entry", where: "created_at < ?1", values: [now - auditRetention] },
    // There are a million of these a month, and few other entries. The index of actions skips the others.
    signIns: {
      table: "audit_entry",
      where:
        "created_at < ?1 and action in ('sign_in', 'sign_in_refused', 'second_factor_refused', 'sign_out')",
      values: [now - signInRetention],
    },
  }
  // A list, because in a record two features with the same name would overwrite each other.
  return [ownRecords, ...records.map(({ expired }) => expired?.(now) ?? {})].flatMap(
    Object.entries<Expired>,
  )
}

export function sweepStatements(records: Records[], now: Date) {
  return expiredRows(records, now.getTime()).map(([name, { table, where, values }]) => ({
    name,
    sql: `delete from "${table}" where rowid in
      (select rowid from "${table}" where ${where} limit ${rowsPerStatement})`,
    values,
  }))
}

/** Deletes expired rows in rounds of one bounded statement per kind, while any kind has more. */
export async function sweep(
  { database, records }: { database: D1Database; records: Records[] },
  now: Date,
) {
  const deleted = new Map<string, number>()
  let pending = sweepStatements(records, now)
  let sentCount = pending.length
  for (; pending.length > 0 && sentCount <= maxStatements; sentCount += pending.length) {
    const statements = pending.map(({ sql: text, values }) =>
      database.prepare(text).bind(...values),
    )
    const results = await database.batch(statements)
    // D1 also counts cascaded rows, so the number may exceed the statement's own deletions.
    const swept = pending.map((kind, index) => ({
      kind,
      changes: results[index]?.meta.changes ?? 0,
    }))
    for (const { kind, changes } of swept) {
      deleted.set(kind.name, (deleted.get(kind.name) ?? 0) + changes)
    }
    pending = swept.flatMap(({ kind, changes }) => (changes >= rowsPerStatement ? [kind] : []))
  }
  log("info", "sweep.done", Object.fromEntries(deleted))
}

/** Limit for one run: each deletion is a batch, and D1 limits the statements of a run. */
const mostDeletions = 20

/**
 * Deletes the accounts that are due, each in its own batch. A deletion that fails is retried in the next run and does
 * not block the others.
 */
async function deleteScheduled(services: Services, now: Date) {
  const due = await services.database
    .select({ id: user.id })
    .from(user)
    .where(and(isNotNull(user.deleteAt), lte(user.deleteAt, now), isNotNull(user.suspendedAt)))
    .orderBy(user.deleteAt)
    .limit(mostDeletions)
  let deleted = 0
  for (const { id } of due) {
    try {
      if (await deleteAccount(services, id, now)) deleted += 1
    } catch (error) {
      log("error", "deletion.failed", { reason: reasonOf(error) })
    }
  }
  if (due.length > 0) log("info", "deletion.done", { due: due.length, deleted })
}

/** Deletes an account if it is still due: an admin may have cancelled the deletion. Returns whether it did. */
async function deleteAccount(services: Services, id: string, now: Date) {
  const { database, configuration, letters } = services
  const isDue = sql`exists (select 1 from user where id = ${id} and delete_at <= ${now.getTime()}
    and suspended_at is not null) and ${leavesAnOwner(id)}`
  const { statements, finish } = deletionStatements(services, id, isDue)
  const entryId = createId("audit_entry")
  const until = new Date(now.getTime() + letterLifetime)
  const owed = letters.owed()
  const { entry, deleted, ...results } = await sendChange(database, {
    before: {
      entry: audit({
        database,
        id: entryId,
        action: "delete_account",
        actorId: null,
        subjectId: id,
        detail: "scheduled",
        when: isDue,
        letter: owed,
      }),
    },
    change: {
      // The account's row no longer exists when the email is sent.
      address: database.insert(formerAddress).select(
        sql`select ${entryId}, null, ${user.email}, ${until.getTime()} from ${user}
        where ${eq(user.id, id)} and ${isDue} and ${owed}`,
      ),
      ...statements,
    },
  })
  if (deleted[0] === undefined) return false
  letters.send(entry)
  await finish(results, configuration)
  return true
}

type Hourly = { env: Env; records: Records[]; servicesOf: (env: Env) => Services | null }

/** Runs the hourly tasks. Expired rows are deleted even if the service is misconfigured. */
export async function doHourly({ env, records, servicesOf }: Hourly, now: Date) {
  await sweep({ database: boundDatabase(env.DB), records }, now)
  const services = servicesOf(env)
  if (services === null) return
  await deleteScheduled(services, now)
  await resealFactors(services)
  await services.letters.retry(now)
}
