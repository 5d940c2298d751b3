import { type D1, directD1 } from "./d1.ts"

type Result = { results: unknown[] }

/** As much of a Worker's `D1Database` as is needed. */
type Binding<Statement> = {
  prepare(sql: string): Statement
  batch(statements: Statement[]): Promise<Result[]>
}

/** The database of a Worker, or of Miniflare. A batch is one transaction. */
export function boundD1<Statement>(binding: Binding<Statement>): D1 {
  const run = async (statements: string[]) =>
    binding.batch(statements.map((sql) => binding.prepare(sql)))
  return directD1({
    query: async (statements) => (await run(statements)).map(({ results }) => results),
    change: run,
  })
}
