import { defineConfig } from "vitest/config"

import { maxWorkers } from "./tests/testing/vitest/max-workers.ts"
import { SlowestFirst } from "./tests/testing/vitest/slowest-first.ts"

/** Milliseconds. Vitest's default of one second is too short for a busy machine. */
const expect = { poll: { timeout: 30_000 } }

const temporaryFolder = "tests/testing/vitest/temporary-folder.setup.ts"

const setupFiles = [
  "tests/testing/vitest/same-environment.ts",
  "tests/testing/vitest/keep-compiled.ts",
]

/**
 * The suffix of a test names where it runs:
 * `x.test.ts` in Node, `x.workers.test.ts` in workerd, `x.deploy.test.ts` through the Pulumi engine.
 */
export default defineConfig({
  test: {
    // Show logs of failing tests only.
    silent: "passed-only",
    sequence: { sequencer: SlowestFirst },
    globalSetup: [
      temporaryFolder,
      "local/cloudflare/contract/testing/recording.setup.ts",
      "tests/testing/vitest/commit.setup.ts",
    ],
    projects: [
      {
        test: {
          name: "node",
          // Files share a process each: its modules are loaded once. They must clean up after themselves.
          isolate: false,
          include: ["{cli,client,d1-migrations,infra,local,provider,tests}/**/*.test.ts"],
          exclude: ["**/*.{workers,deploy,soak}.test.ts", "**/node_modules/**"],
          // On a busy machine a wrangler command takes ten seconds.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          maxWorkers,
          globalSetup: [temporaryFolder, "tests/testing/vitest/compile-cache.setup.ts"],
          setupFiles,
        },
      },
      {
        test: {
          name: "deploy",
          // As in Node's project. Cloudflare's and Pulumi's modules take two seconds to load.
          isolate: false,
          include: ["tests/**/*.deploy.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          expect,
          maxWorkers,
          // As `./accounts` loads Pulumi, and copies of the checkout as Node itself does.
          execArgv: ["--import", import.meta.resolve("./cli/engine/light-pulumi.js")],
          server: { deps: { external: [/\/accounts-checkout-/] } },
          globalSetup: [
            temporaryFolder,
            "tests/testing/vitest/compile-cache.setup.ts",
            "tests/testing/engine/engine.setup.ts",
            "tests/testing/vitest/prepared-environment.setup.ts",
          ],
          setupFiles,
          // Vite sets its own BASE_URL in the processes that it starts.
          provide: { baseUrl: process.env["BASE_URL"] ?? "" },
        },
      },
      "./app/vitest.config.ts",
    ],
  },
})
