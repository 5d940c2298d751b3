import { readdirSync } from "node:fs"
import { join } from "node:path"

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"

import { bindings } from "./bindings.ts"
import { bundling } from "./bundle.ts"
import { compatibilityDate, compatibilityFlags } from "./runtime.ts"
import { bytes } from "./testing/bytes.ts"

const migrations = join(import.meta.dirname, "../migrations")
const head = readdirSync(migrations)
  .filter((name) => name.endsWith(".sql"))
  .toSorted()
  .at(-1)

const declared = Object.entries(bindings)
function named(type: string) {
  return declared.filter(([, { type: own }]) => own === type)
}

/** Tests bind what the stack of `local` binds; a test that needs other bindings passes its own. */
export default defineConfig({
  // As in the bundle, so that what is tested is what is deployed.
  resolve: {
    alias: Object.entries(bundling.alias).map(([find, path]) => ({
      find,
      replacement: join(import.meta.dirname, "..", path),
    })),
  },
  define: { MIGRATIONS_HEAD: JSON.stringify(head) },
  plugins: [
    bytes(),
    cloudflareTest(async () => ({
      main: "./worker.ts",
      miniflare: {
        compatibilityDate,
        compatibilityFlags,
        d1Databases: named("d1").map(([name]) => name),
        versionMetadata: "VERSION",
        ratelimits: Object.fromEntries(
          declared.flatMap(([name, binding]) =>
            binding.type === "ratelimit"
              ? [[name, { namespace_id: name, simple: binding.simple }]]
              : [],
          ),
        ),
        bindings: {
          ENVIRONMENT: "local",
          AUTH_SECRET: "a-secret-of-the-tests-and-of-nothing-else",
          AUTH_URL: "http://localhost:8787",
          WEB_URL: "http://localhost:3000",
          TEST_MIGRATIONS: await readD1Migrations(migrations),
        },
      },
    })),
  ],
  test: {
    name: "workers",
    // A password's hash alone takes a second where others compute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    include: ["**/*.workers.test.ts"],
    globalSetup: ["./testing/openid-server.ts", "./testing/bundle.ts"],
    setupFiles: ["./testing/migrate.ts"],
  },
})
