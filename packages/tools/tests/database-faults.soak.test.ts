import { expect, test } from "vitest"

import { databaseRuns } from "./testing/soak/longer-runs.ts"
import { passed, runTests } from "./testing/soak/run-tests.ts"

test.each(databaseRuns)(
  "what is said of a database's faults holds in more, too: $file, $env",
  async (run) => {
    expect(await runTests(run.project, run.file, run.env)).toMatchObject(passed)
  },
)
