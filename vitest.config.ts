import { defineConfig } from "vitest/config"

import { maxWorkers } from "./packages/tools/tests/testing/vitest/max-workers.ts"
import { SlowestFirst } from "./packages/tools/tests/testing/vitest/slowest-first.ts"

/** Milliseconds. Vitest's default of one second is too short for a busy machine. */
const expect = { poll: { timeout: 30_000 } }

const temporaryFolder = "packages/tools/tests/testing/vitest/temporary-folder.setup.ts"

const setupFiles = [
  "packages/tools/tests/testing/vitest/same-environment.ts",
  "packages/tools/tests/testing/vitest/keep-compiled.ts",
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
      "packages/local/cloudflare/contract/testing/recording.setup.ts",
      "packages/tools/tests/testing/vitest/commit.setup.ts",
    ],
    projects: [
      {
        test: {
          name: "node",
          // Node itself loads the sources, as it does for users: with its compile cache, and a sixth cheaper.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Files share a process each: its modules are loaded once. They must clean up after themselves.
          isolate: false,
          // Not by `exclude`: that of the command line (`npm test`) would not count here.
          include: ["packages/**/!(*.workers|*.deploy|*.soak).test.ts"],
          // On a busy machine a wrangler command takes ten seconds.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          maxWorkers,
          globalSetup: [
            temporaryFolder,
            "packages/tools/tests/testing/vitest/compile-cache.setup.ts",
          ],
          setupFiles,
        },
      },
      {
        test: {
          name: "deploy",
          // As in Node's project. Cloudflare's and Pulumi's modules take two seconds to load.
          isolate: false,
          include: ["packages/tools/tests/**/*.deploy.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          expect,
          maxWorkers,
          // Builds that most deployments share are made once.
          execArgv: [
            "--import",
            import.meta.resolve("./packages/tools/tests/testing/builds/hook.js"),
          ],
          // Copies of the checkout, as Node itself loads them, and what the hook above replaces.
          server: {
            deps: {
              external: [
                /\/accounts-checkout-/,
                /^(?!.*\/accounts-former-).*\/tools\/deploy\/build\/build\.ts$/,
              ],
            },
          },
          globalSetup: [
            temporaryFolder,
            "packages/tools/tests/testing/vitest/compile-cache.setup.ts",
            "packages/tools/tests/testing/engine/engine.setup.ts",
            "packages/tools/tests/testing/vitest/prepared-environment.setup.ts",
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
