import { openScratchDatabase } from "../schema/scratch-database.ts"
import { type D1, directD1 } from "./d1.ts"

/** An SQLite in memory that takes and refuses statements as D1 does. */
export function sqliteD1(): D1 & Disposable {
  const scratch = openScratchDatabase()
  const direct = directD1({
    query: async (statements) => statements.map((sql) => scratch.rows(sql).map(asJson)),
    async change(statements) {
      scratch.exec("BEGIN")
      try {
        for (const sql of statements) scratch.prepare(sql).run()
        scratch.exec("COMMIT")
      } catch (error) {
        scratch.exec("ROLLBACK")
        throw error
      }
    },
  })
  return Object.assign(direct, { [Symbol.dispose]: () => scratch[Symbol.dispose]() })
}

/** Turns whole numbers into numbers of JSON. */
function asJson(row: Record<string, unknown>): unknown {
  const cells = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "bigint" ? Number(value) : value,
  ])
  return Object.fromEntries(cells)
}
