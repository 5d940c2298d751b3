import { expect, test } from "vitest"

import { accountRuns } from "./testing/soak/longer-runs.ts"
import { passed, runTests } from "./testing/soak/run-tests.ts"

test.each(accountRuns)("what is said of accounts holds in more, too: $file, $env", async (run) => {
  expect(await runTests(run.project, run.file, run.env)).toMatchObject(passed)
})
