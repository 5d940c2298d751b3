import { isFailure } from "../../failure.ts"
import type { Database } from "./database.ts"

const table = "accounts_atomicity_probe"

const failing = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY);
INSERT INTO ${table} (id) VALUES (1);
INSERT INTO ${table} (id) VALUES (1);`

const leftovers = `SELECT name FROM sqlite_master WHERE name = '${table}'`

/**
 * Checks on the database itself that a request whose last statement fails leaves nothing behind.
 * All promises about failed migrations rest on this, and Cloudflare does not document it for the
 * REST API.
 */
export async function proveAtomicity(database: Database): Promise<void> {
  const failure = await database.change(failing).then(
    () => undefined,
    (error: unknown) => error,
  )
  const left = await database.ask(leftovers)
  if (left.length > 0) await database.ask(`DROP TABLE IF EXISTS ${table}`)
  if (failure !== undefined && !isFailure(failure, "API_FAILED")) throw failure
  if (failure === undefined || left.length > 0) {
    throw new Error(
      `this database does not undo a failed request: after a trial whose last statement must fail, ` +
        `${left.length > 0 ? "the table that it created was still there" : "it reported success"}. ` +
        `A migration that fails half-way could not be repaired, so none was applied. ` +
        `Report this to the operator of the database's API.`,
    )
  }
  if (!failure.facts.lost) return
  throw new Error(`the database did not answer a harmless trial request: ${failure.message}`, {
    cause: failure,
  })
}
