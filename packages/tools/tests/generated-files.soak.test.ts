import { expect, test } from "vitest"

import { passed, runTests } from "./testing/soak/run-tests.ts"

const files = process.env["SOAK_BUDGET"] === "full" ? 2000 : 200

test(`${files} generated stack files of careful owners pass all rules`, async () => {
  const env = { GENERATED_FILES: String(files) }
  expect(await runTests("node", "packages/tools/environment/generated-files", env)).toMatchObject(
    passed,
  )
})
