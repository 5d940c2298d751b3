import { expect, test } from "vitest"

import { simulate } from "../bench/cells/testing/simulate.ts"

const days = process.env["SOAK_BUDGET"] === "full" ? 400 : 20
const seed = Number(process.env["SOAK_SEED"] ?? 1)

test.each(Array.from({ length: days }, (_, index) => seed + index))(
  "seed %i: a day with moves and stalls breaks no promise",
  async (one) => {
    expect((await simulate({ seed: one })).violations).toEqual(new Map())
  },
)
