import { log } from "../http/log.ts"

/** D1 bills and times a statement by its rows; what a run leaves, the next one takes. */
const batch = 500

const hour = 60 * 60 * 1000
const day = 24 * hour
const keepAudit = 2 * 365 * day
const keepEvents = 90 * day

type Sweeping = { table: string; where: string; values: unknown[] }

function sweepings(now: number): Record<string, Sweeping> {
  return {
    sessions: { table: "session", where: "expires_at < ?1", values: [now] },
    verifications: { table: "verification", where: "expires_at < ?1", values: [now] },
    // A sign-up writes its user before its account; if it dies between, nobody can use the address.
    orphans: {
      table: "user",
      where: `created_at between ?1 and ?2
      and not exists (select 1 from account where account.user_id = user.id)`,
      values: [now - 2 * day, now - hour],
    },
    // The seconds until which such an address is good are part of it.
    smokes: {
      table: "user",
      where: "email >= 'smoke-' and email < ?1 and email like 'smoke-%@accounts.invalid'",
      values: [`smoke-${Math.floor(now / 1000)}`],
    },
    audits: { table: "audit_entry", where: "created_at < ?1", values: [now - keepAudit] },
    events: { table: "payment_event", where: "received_at < ?1", values: [now - keepEvents] },
  }
}

export function sweepStatements(now: Date) {
  return Object.entries(sweepings(now.getTime())).map(([name, { table, where, values }]) => ({
    name,
    sql: `delete from "${table}" where rowid in
      (select rowid from "${table}" where ${where} limit ${batch})`,
    values,
  }))
}

/** Removes what has had its time, one bounded statement per kind. */
export async function sweep(database: D1Database, now: Date) {
  const statements = sweepStatements(now)
  const results = await database.batch(
    statements.map(({ sql, values }) => database.prepare(sql).bind(...values)),
  )
  const removed = statements.map(({ name }, index) => [name, results[index]?.meta.changes ?? 0])
  log("info", "sweep.done", Object.fromEntries(removed))
}
