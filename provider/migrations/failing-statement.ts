import { messageOf } from "../../failure.ts"
import type { Database } from "./database.ts"
import { rollback, rolledBack } from "./ledger.ts"
import type { Migration } from "./migration-files.ts"

/** Seconds for the whole search. */
const searchTimeout = 30

/**
 * Number (from 1) of the failing statement, which D1 does not report. A binary search runs the first
 * statements of the file and always rolls them back. Undefined when no single statement fails (a
 * deferred foreign key fails at the end of the script), or when the search takes too long.
 */
export async function findFailingStatement(
  database: Database,
  migration: Migration,
): Promise<number | undefined> {
  const deadline = Date.now() + searchTimeout * 1000
  const { statements } = migration
  let succeeding = 0
  let failing = statements.length + 1
  while (failing - succeeding > 1) {
    if (Date.now() > deadline) return undefined
    const middle = Math.floor((succeeding + failing) / 2)
    const beginning = statements.slice(0, middle).map((statement) => statement.sql)
    const message = await failureOf(database, [...beginning.map(terminate), rollback].join("\n"))
    if (message === undefined) return undefined
    if (message.includes(rolledBack)) succeeding = middle
    else failing = middle
  }
  return failing > statements.length ? undefined : failing
}

function terminate(sql: string): string {
  return sql.endsWith(";") ? sql : `${sql}\n;`
}

async function failureOf(database: Database, sql: string): Promise<string | undefined> {
  return database.change(sql).then(() => undefined, messageOf)
}
