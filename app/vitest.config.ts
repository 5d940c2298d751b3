import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"

export default defineConfig({
  plugins: [cloudflareTest({})],
  test: { name: "workers", include: ["**/*.workers.test.ts"] },
})
