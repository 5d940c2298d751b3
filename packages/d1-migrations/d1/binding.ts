import { Failure, messageOf } from "../failure.ts"
import { splitStatements } from "../sql/statements.ts"
import { failedQuery } from "./cloudflare.ts"
import type { D1 } from "./d1.ts"
import { isOutage } from "./retry.ts"

type Result = { results: unknown[] }

/** As much of a Worker's `D1Database` as is needed. */
type Binding<Statement> = {
  prepare(sql: string): Statement
  batch(statements: Statement[]): Promise<Result[]>
}

/** The database of a Worker, or of Miniflare. A batch is one transaction. */
export function boundD1<Statement>(binding: Binding<Statement>): D1 {
  const run = async (statements: string[]): Promise<Result[]> => {
    try {
      return await binding.batch(statements.map((sql) => binding.prepare(sql)))
    } catch (error) {
      const message = messageOf(error)
      const facts = { lost: isOutage({ message }), status: 400, code: failedQuery }
      throw new Failure("API_FAILED", message, { facts, cause: error })
    }
  }
  return {
    databaseId: "",
    query: async (statements) => (await run(statements)).map(({ results }) => results),
    change: (sql) => run(splitStatements(sql).map((statement) => statement.sql)),
    bookmark: async () => "",
  }
}
