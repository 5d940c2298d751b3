import { splitStatements as splitMigration } from "@accounts-stack/d1-migrations/files"
import { splitStatements } from "@accounts-stack/local/sql-statements"
import { expect, test } from "vitest"

import {
  trimStatement,
  splitBySqlite,
  randomScript,
  randomTokens,
} from "./testing/soak/random-sql.ts"

const seeds = Array.from({ length: 3000 }, (_, index) => index)

test("scripts are split where SQLite splits them, for migrations and by the local D1", () => {
  const counts = seeds.map((seed) => {
    const script = randomScript(seed)
    const expected = splitBySqlite(script)
    expect([seed, splitStatements(script).map(trimStatement)]).toEqual([seed, expected])
    // Migrations require a semicolon after every trigger, even the last.
    expect([seed, splitMigration(`${script}\n;`).map(({ sql }) => trimStatement(sql))]).toEqual([
      seed,
      expected,
    ])
    return expected.length
  })
  // Fails if the generator hardly generates statements.
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(8000)
})

test("migrations and the local D1 split invalid SQL alike, unless it never ends", () => {
  const outcomes = seeds.map((seed) => {
    const tokens = randomTokens(seed)
    return { seed, tokens, migration: attempt(() => splitMigration(tokens)) }
  })
  const cut = outcomes.flatMap(({ seed, tokens, migration }) =>
    migration instanceof Error
      ? []
      : [{ seed, tokens, cut: migration.map(({ sql }) => trimStatement(sql)) }],
  )
  expect(cut.length).toBeGreaterThan(seeds.length / 10)
  for (const { seed, tokens, cut: expected } of cut) {
    expect([seed, splitStatements(tokens).map(trimStatement)]).toEqual([seed, expected])
  }
  const refusals = outcomes.flatMap(({ migration }) =>
    migration instanceof Error ? [migration.message] : [],
  )
  expect(refusals.filter((message) => !/never (?:end|reach)/.test(message))).toEqual([])
})

function attempt<Result>(act: () => Result): Result | Error {
  try {
    return act()
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}
