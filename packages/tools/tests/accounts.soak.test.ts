import { expect, test } from "vitest"

import { passed, runTests } from "./testing/soak/run-tests.ts"

const rounds = process.env["SOAK_BUDGET"] === "full" ? 200 : 20

test(`no public route tells a known address from an unknown one, by ${rounds} inputs each`, async () => {
  const env = { SEEDED_ROUNDS: String(rounds) }
  expect(await runTests("workers", "app/service/auth/enumeration", env)).toMatchObject(passed)
})

test(`nobody but the owner is left after their proof, in ${rounds * 10} sequences and all short ones`, async () => {
  const env = { SEEDED_ROUNDS: String(rounds) }
  expect(await runTests("workers", "app/service/auth/owner-proof", env)).toMatchObject(passed)
})
