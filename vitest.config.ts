import { availableParallelism } from "node:os"

import { defineConfig } from "vitest/config"

/** Milliseconds; unless told otherwise vitest polls for one second, which a busy machine takes for nothing. */
const expect = { poll: { timeout: 30_000 } }

/**
 * The suffix of a test names where it runs:
 * `x.test.ts` in Node, `x.workers.test.ts` in workerd, `x.deploy.test.ts` through the Pulumi engine.
 */
export default defineConfig({
  test: {
    // What a passing test logged is of no use to anybody.
    silent: "passed-only",
    globalSetup: ["local/cloudflare/contract/recording.setup.ts"],
    projects: [
      {
        test: {
          name: "node",
          include: ["{cli,infra,local,provider,tests}/**/*.test.ts"],
          exclude: ["**/*.{workers,deploy,soak}.test.ts", "**/node_modules/**"],
          // Wrangler takes ten seconds for a command where others compute.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          // Most of a test here is waiting for a process to start: one core less would leave one idle.
          maxWorkers: Math.max(2, availableParallelism()),
          globalSetup: ["tests/testing/compile-cache.setup.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "deploy",
          include: ["tests/**/*.deploy.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          expect,
          // After all others, and two at a time: while one waits for a process the other computes.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          globalSetup: [
            "tests/testing/compile-cache.setup.ts",
            "tests/testing/engine/engine.setup.ts",
          ],
          // Vite has a BASE_URL of its own for whatever it runs.
          provide: { baseUrl: process.env["BASE_URL"] ?? "" },
        },
      },
      "./app/vitest.config.ts",
    ],
  },
})
