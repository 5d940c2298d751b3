import type { Examples } from "../openapi/examples.ts"

const version = { id: "0f5c3a52-7f0e-4a63-9d2b-5f1c8a7e4d10", tag: "" }
const expected = "0042_an_example.sql"

export const behind = {
  status: "behind",
  version,
  migrations: { expected, found: "0041_the_one_before.sql" },
}

export const healthExamples: Examples = {
  health: {
    parameters: { schema: "1" },
    answer: { status: "ok", version, migrations: { expected, found: expected } },
  },
}
