import { Failure, messageOf } from "../failure.ts"
import { splitStatements } from "../sql/statements.ts"
import { isOutage } from "./retry.ts"

/** As much of a database as migrations need. A failure is one with the code API_FAILED. */
export type D1 = {
  /** For `wrangler d1 time-travel restore`; empty where there is no Time Travel. */
  databaseId: string
  /**
   * Rows of each statement, in one request, so all see the same state. Sent again after a lost
   * answer, so they must read only or change nothing the second time.
   */
  query(statements: string[]): Promise<unknown[][]>
  /** Sent once. All statements of `sql` take effect, or none. */
  change(sql: string): Promise<unknown>
  /** Of now, for Time Travel; empty if there is none. */
  bookmark(): Promise<string>
}

/** Cloudflare's code for every failed query, whatever the reason. */
export const failedQuery = 7500

type Direct = {
  query: (statements: string[]) => Promise<unknown[][]>
  change: (statements: string[]) => Promise<unknown>
}

/** A database without Time Travel that this process reaches itself, with Cloudflare's failures. */
export function directD1({ query, change }: Direct): D1 {
  const fail = (error: unknown): never => {
    const message = messageOf(error)
    const facts = { lost: isOutage({ message }), status: 400, code: failedQuery }
    throw new Failure("API_FAILED", message, { facts, cause: error })
  }
  return {
    databaseId: "",
    query: async (statements) => query(statements).catch(fail),
    change: async (sql) => change(splitStatements(sql).map((each) => each.sql)).catch(fail),
    bookmark: async () => "",
  }
}
