import { Failure, messageOf } from "../failure.ts"
import { openScratchDatabase, type Row } from "../schema/scratch-database.ts"
import { splitStatements } from "../sql/statements.ts"
import { failedQuery } from "./cloudflare.ts"
import type { D1 } from "./d1.ts"

/** An SQLite in memory that takes and refuses statements as D1 does. */
export function sqliteD1(): D1 & Disposable {
  const scratch = openScratchDatabase()
  const attempt = <Value>(act: () => Value): Value => {
    try {
      return act()
    } catch (error) {
      const facts = { lost: false, status: 400, code: failedQuery }
      throw new Failure("API_FAILED", messageOf(error), { facts, cause: error })
    }
  }
  return {
    databaseId: "",
    query: async (statements) =>
      attempt(() => statements.map((sql) => scratch.rows(sql).map(withNumbers))),
    change: async (sql) =>
      attempt(() => {
        scratch.exec("BEGIN")
        try {
          for (const statement of splitStatements(sql)) scratch.prepare(statement.sql).run()
          scratch.exec("COMMIT")
        } catch (error) {
          scratch.exec("ROLLBACK")
          throw error
        }
      }),
    bookmark: async () => "",
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}

/** As JSON has them. */
function withNumbers(row: Row): unknown {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value,
    ]),
  )
}
