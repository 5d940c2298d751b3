import { availableParallelism } from "node:os"

import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "soak",
    include: ["{app,packages/*}/**/*.soak.test.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ["packages/tools/tests/testing/vitest/compile-cache.setup.ts"],
    maxWorkers: availableParallelism(),
  },
})
