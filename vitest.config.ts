import { defineConfig } from "vitest/config"

/**
 * The suffix of a test names where it runs:
 * `x.test.ts` in Node, `x.workers.test.ts` in workerd, `x.deploy.test.ts` through the Pulumi engine.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["{infra,local,tests}/**/*.test.ts"],
          exclude: ["**/*.workers.test.ts", "**/*.deploy.test.ts", "**/node_modules/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "deploy",
          include: ["tests/**/*.deploy.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      "./app/vitest.config.ts",
    ],
  },
})
