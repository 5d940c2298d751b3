import { log } from "../http/log.ts"

/** D1 bills and times a statement by its rows; what a run leaves, the next one takes. */
const batch = 500

const expired = (table: "session" | "verification") =>
  `delete from ${table} where rowid in
    (select rowid from ${table} where expires_at < ?1 order by expires_at limit ${batch})`

/** Removes what has expired, one bounded statement per kind. */
export const sweep = async (database: D1Database, now: Date) => {
  const [sessions, verifications] = await database.batch([
    database.prepare(expired("session")).bind(now.getTime()),
    database.prepare(expired("verification")).bind(now.getTime()),
  ])
  log("info", "sweep.done", {
    sessions: sessions?.meta.changes,
    verifications: verifications?.meta.changes,
  })
}
