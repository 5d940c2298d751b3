import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "soak",
    include: ["{tests,local,app}/**/*.soak.test.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ["tests/compile-cache.setup.ts"],
    fileParallelism: false,
  },
})
