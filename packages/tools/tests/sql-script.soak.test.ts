import { splitStatements as splitMigration } from "@accounts-stack/d1-migrations/files"
import { splitStatements } from "@accounts-stack/local/sql-statements"
import { expect, test } from "vitest"

import { trimStatement, splitBySqlite, randomScript } from "./testing/soak/random-sql.ts"

const rounds = process.env["SOAK_BUDGET"] === "full" ? 500_000 : 20_000
const first = Number(process.env["SOAK_SEED"] ?? 1) * 1e9

test(`${rounds} scripts from seed ${first} are split where SQLite splits them`, () => {
  for (let seed = first; seed < first + rounds; seed += 1) {
    const script = randomScript(seed)
    const expected = splitBySqlite(script)
    expect([seed, splitStatements(script).map(trimStatement)]).toEqual([seed, expected])
    const migration = splitMigration(`${script}\n;`).map(({ sql }) => trimStatement(sql))
    expect([seed, migration]).toEqual([seed, expected])
  }
})
