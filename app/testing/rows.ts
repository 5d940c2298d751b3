import { env } from "cloudflare:workers"

/** Counts the rows of a table with a value in a column. */
export function countRows(table: string, column: string, value: unknown) {
  return env.DB.prepare(`select count(*) as n from ${table} where ${column} = ?`)
    .bind(value)
    .first<number>("n")
}

/** Returns the entries of the audit log about a user, the oldest first. */
export async function auditOf(subjectId: string) {
  const { results } = await env.DB.prepare(
    "select actor_id, action, detail from audit_entry where subject_id = ? order by rowid",
  )
    .bind(subjectId)
    .all()
  return results
}
