import type { Database } from "./database.ts"
import { stop, stopped } from "./ledger.ts"
import type { Migration } from "./migration-files.ts"

/** Seconds that looking for the statement may take in all. */
const budget = 30

/**
 * Number (from 1) of the statement that fails, found by running ever shorter beginnings of the file
 * that are made to fail at their end and so are undone. D1 itself does not say which it was.
 * Undefined when no single statement does (a deferred foreign key fails at the end of the whole),
 * or when it cannot be told in time.
 */
export async function locateFailure(
  database: Database,
  migration: Migration,
): Promise<number | undefined> {
  const deadline = Date.now() + budget * 1000
  const { statements } = migration
  let sound = 0
  let failing = statements.length + 1
  while (failing - sound > 1) {
    if (Date.now() > deadline) return undefined
    const middle = Math.floor((sound + failing) / 2)
    const beginning = statements.slice(0, middle).map((statement) => statement.sql)
    const said = await failureOf(database, [...beginning.map(terminate), stop].join("\n"))
    if (said === undefined) return undefined
    if (said.includes(stopped)) sound = middle
    else failing = middle
  }
  return failing > statements.length ? undefined : failing
}

function terminate(sql: string): string {
  return sql.endsWith(";") ? sql : `${sql}\n;`
}

async function failureOf(database: Database, sql: string): Promise<string | undefined> {
  return database.change(sql).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}
