import { ApiError } from "../api.ts"
import type { Database } from "./database.ts"

const table = "accounts_atomicity_probe"

const failing = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY);
INSERT INTO ${table} (id) VALUES (1);
INSERT INTO ${table} (id) VALUES (1);`

const leftovers = `SELECT name FROM sqlite_master WHERE name = '${table}'`

/**
 * Shows on the database itself that a request which fails in its last statement leaves nothing
 * behind. Everything that is promised about failed migrations rests on this, and Cloudflare's
 * documentation of the REST API does not say it.
 */
export async function proveAtomicity(database: Database): Promise<void> {
  const failure = await database.change(failing).then(
    () => undefined,
    (error: unknown) => error,
  )
  const [left = []] = await database.ask(leftovers)
  if (left.length > 0) await database.ask(`DROP TABLE IF EXISTS ${table}`)
  if (failure !== undefined && !(failure instanceof ApiError)) throw failure
  if (failure === undefined || left.length > 0) {
    throw new Error(
      `this database does not undo a failed request: after one whose last statement had to fail, ` +
        `${left.length > 0 ? "what ran before it was still there" : "it reported success"}. ` +
        `A migration that fails half-way could not be repaired, so none was applied. ` +
        `Report this to whoever runs the database's API.`,
    )
  }
  if (!failure.lost) return
  throw new Error(`the database did not answer a harmless trial request: ${failure.message}`, {
    cause: failure,
  })
}
