import type { Database } from "../d1/database.ts"
import { isFailure } from "../failure.ts"
import { guardMessage, raiseIf } from "../guard/refusal-statement.ts"
import { adviceFor } from "./failure-explanation.ts"

const table = "d1_migrations_atomicity_probe"

/** Fails as the row guard fails, which proves the guard. */
const failing = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY);
INSERT INTO ${table} (id) VALUES (1);
${raiseIf({ what: `'${table} has ' || count(*)`, from: table, when: "id = 1" })}`

const leftovers = `SELECT name FROM sqlite_master WHERE name = '${table}'`

/** The error of the last statement, which proves that the others ran. */
const ownError = `${table} has 1`

/**
 * Checks on the database itself that a request whose last statement fails leaves nothing behind.
 * All promises about failed migrations rest on this, and Cloudflare does not document it for the
 * REST API. Any other refusal than the one by that statement proves nothing.
 */
export async function proveAtomicity(database: Database): Promise<void> {
  const failure = await database.change(failing).then(
    () => undefined,
    (error: unknown) => error,
  )
  const leftoverTables = await database.ask(leftovers)
  if (leftoverTables.length > 0) await database.ask(`DROP TABLE IF EXISTS ${table}`)
  if (failure !== undefined && !isFailure(failure, "API_FAILED")) throw failure
  if (failure === undefined || leftoverTables.length > 0) {
    throw new Error(
      `this database does not undo a failed request: after a trial whose last statement must fail, ` +
        `${leftoverTables.length > 0 ? "the table that it created was still there" : "it reported success"}. ` +
        `A migration that fails half-way could not be repaired, so none was applied. ` +
        `Report this to the operator of the database's API.`,
    )
  }
  if (guardMessage(failure.message) === ownError) return
  const { lost, status } = failure.facts
  const reaction = lost ? "did not answer" : "refused"
  const message = `the database ${reaction} a harmless trial request: ${failure.message}. No migration was applied. ${lost ? "Run again." : adviceFor(status)}`
  throw new Error(message, { cause: failure })
}
