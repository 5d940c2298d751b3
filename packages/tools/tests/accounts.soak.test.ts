import { expect, test } from "vitest"

import { passed, runTests } from "./testing/soak/run-tests.ts"

const isFull = process.env["SOAK_BUDGET"] === "full"
const rounds = isFull ? 200 : 6

// An isolate of the tests may have 10,000 timers, and keeps those of all its requests.
const shares = isFull ? ["0/4", "1/4", "2/4", "3/4"] : ["0/1"]
const parts = ["enumeration.long", "enumeration-sequences"].flatMap((file) =>
  shares.map((part) => [file, part] as const),
)

test.each(parts)(
  `no public route tells a known address from an unknown one, by ${rounds} inputs each: %s, %s`,
  async (file, KINDS_PART) => {
    const env = { SEEDED_ROUNDS: String(rounds), KINDS_PART }
    expect(await runTests("workers", `app/service/auth/${file}`, env)).toMatchObject(passed)
  },
)

test.each(["auth/factor/generated-attacks", "openapi/conformance"])(
  `what is generated holds in ${rounds / 2} rounds, too: %s`,
  async (file) => {
    const env = { SEEDED_ROUNDS: String(rounds / 2) }
    expect(await runTests("workers", `app/service/${file}`, env)).toMatchObject(passed)
  },
)

const seed = Number(process.env["SOAK_SEED"] ?? 1)

test.each(isFull ? ["2"] : [])(
  "nobody but the owner is left after their proof, in all sequences of up to %s acts",
  async (LONGEST_SEQUENCE) => {
    const env = { LONGEST_SEQUENCE }
    expect(await runTests("workers", "app/service/auth/owner-proof", env)).toMatchObject(passed)
  },
)

test.each(Array.from({ length: isFull ? 10 : 1 }, (_, index) => String(seed * 1000 + index)))(
  "nobody but the owner is left after their proof, in 200 sequences of seed %s",
  async (SEEDED_FROM) => {
    const env = { SEEDED_ROUNDS: "20", SEEDED_FROM }
    expect(await runTests("workers", "app/service/auth/owner-proof", env)).toMatchObject(passed)
  },
)
