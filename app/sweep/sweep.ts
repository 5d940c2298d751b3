import { log } from "../http/log.ts"
import { sendNamed } from "../named-batch.ts"

/** D1 bills by rows and limits a statement's time; the next run takes what is left. */
const rowsPerStatement = 500

const hour = 60 * 60 * 1000
const day = 24 * hour
const auditRetention = 2 * 365 * day
const eventRetention = 90 * day
const unprovenLifetime = 7 * day

type Expired = { table: string; where: string; values: unknown[] }

function expiredRows(now: number): Record<string, Expired> {
  return {
    sessions: { table: "session", where: "expires_at < ?1", values: [now] },
    verifications: { table: "verification", where: "expires_at < ?1", values: [now] },
    // A sign-up that fails between writing its user and its account would block the address forever.
    orphans: {
      table: "user",
      where: `created_at between ?1 and ?2
      and not exists (select 1 from account where account.user_id = user.id)`,
      values: [now - 2 * day, now - hour],
    },
    unproven: {
      table: "user",
      where: "unproven_since < ?1 and email_verified = 0",
      values: [now - unprovenLifetime],
    },
    // A smoke address contains the second in which it expires.
    smokes: {
      table: "user",
      where: "email >= 'smoke-' and email < ?1 and email like 'smoke-%@accounts.invalid'",
      values: [`smoke-${Math.floor(now / 1000)}`],
    },
    audits: { table: "audit_entry", where: "created_at < ?1", values: [now - auditRetention] },
    events: { table: "payment_event", where: "received_at < ?1", values: [now - eventRetention] },
  }
}

export function sweepStatements(now: Date) {
  return Object.entries(expiredRows(now.getTime())).map(([name, { table, where, values }]) => ({
    name,
    sql: `delete from "${table}" where rowid in
      (select rowid from "${table}" where ${where} limit ${rowsPerStatement})`,
    values,
  }))
}

/** Deletes expired rows, with one bounded statement per kind. */
export async function sweep(database: D1Database, now: Date) {
  const statements = sweepStatements(now).map(
    ({ name, sql, values }) => [name, database.prepare(sql).bind(...values)] as const,
  )
  const results = await sendNamed(Object.fromEntries(statements), (batch) => database.batch(batch))
  const deleted = [...results].map(([name, result]) => [name, result?.meta.changes ?? 0])
  log("info", "sweep.done", Object.fromEntries(deleted))
}
