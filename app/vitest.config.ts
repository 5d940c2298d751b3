import { readdirSync } from "node:fs"
import { join } from "node:path"

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"

import {
  bundling,
  compatibilityDate,
  compatibilityFlags,
  offModule,
  offModules,
} from "../infra/bundle.ts"
import { maxWorkers } from "../packages/tools/tests/testing/vitest/max-workers.ts"
import { bindings } from "./bindings.ts"
import { bytes } from "./testing/bytes.ts"
import { lightPasswords } from "./testing/light-passwords.ts"

const migrations = join(import.meta.dirname, "../migrations")
const head = readdirSync(migrations)
  .filter((name) => name.endsWith(".sql"))
  .toSorted()
  .at(-1)

const client = join(import.meta.dirname, "../packages/client/src")

const declared = Object.entries(bindings)
function named(type: string) {
  return declared.filter(([, { type: bindingType }]) => bindingType === type)
}

/** Pages of the front end in tests. */
const letterPages = [
  "/prove",
  "/again",
  "/verified",
  "/a-page",
  "/page",
  "/Read-this",
  "/new-password",
  "/app#/verified",
  "/new?foo=bar&baz=qux",
  `/app?redirect=/dashboard&verified=${encodeURIComponent("a+b@x.io")}`,
]

/** Libraries that the Worker imports. A missing one only loads more slowly. */
const libraries = [
  "@better-auth/utils/base32",
  "@better-auth/utils/otp",
  "@orpc/openapi",
  "@orpc/openapi/fetch",
  "@orpc/server",
  "@orpc/zod/zod4",
  "@simplewebauthn/server",
  "@simplewebauthn/server/helpers",
  "better-auth/adapters/drizzle",
  "better-auth/api",
  "better-auth/cookies",
  "better-auth/crypto",
  "better-auth/minimal",
  "better-auth/oauth2",
  "drizzle-orm",
  "drizzle-orm/d1",
  "drizzle-orm/sqlite-core",
  "hono/hono-base",
  "hono/router/trie-router",
  "jose",
  "zod",
]

/**
 * Leaves out the same modules as the bundle, so that tests run the deployed code. The bundling of libraries needs this
 * plugin as well.
 */
const leaveOut = {
  // Vite bundles the libraries again if a plugin's name changes.
  name: `modules of features that are off: ${JSON.stringify(offModules)}`,
  load: (id: string) => offModule(id.split("?")[0] ?? "")?.contents,
}

/** Tests use the bindings of the `local` stack; a test that needs others passes its own. */
export default defineConfig({
  // Runs an example as its users do. The client's package is built only when it is packed.
  resolve: {
    alias: [
      { find: /^@accounts-stack\/client\/server$/, replacement: join(client, "server.ts") },
      { find: /^@accounts-stack\/client$/, replacement: join(client, "index.ts") },
    ],
  },
  cacheDir: join(import.meta.dirname, "../node_modules/.vite"),
  define: {
    MIGRATIONS_HEAD: JSON.stringify(head),
    FAULT_VISITS: process.env["FAULT_VISITS"] ?? "4",
    SEEDED_ROUNDS: process.env["SEEDED_ROUNDS"] ?? "2",
    KINDS_PART: JSON.stringify(process.env["KINDS_PART"] ?? "0/1"),
    SEEDED_FROM: process.env["SEEDED_FROM"] ?? "38",
    LONGEST_SEQUENCE: process.env["LONGEST_SEQUENCE"] ?? "1",
  },
  plugins: [
    bytes(),
    leaveOut,
    lightPasswords(),
    cloudflareTest(async () => ({
      main: "./worker.ts",
      miniflare: {
        compatibilityDate,
        compatibilityFlags,
        d1Databases: named("d1").map(([name]) => name),
        r2Buckets: named("r2_bucket").map(([name]) => name),
        kvNamespaces: named("kv_namespace").map(([name]) => name),
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
          FACTOR_SECRET: "a-factor-secret-of-the-tests-and-nothing-else",
          AUTH_URL: "http://localhost:8787",
          WEB_URL: "http://localhost:3000",
          PASSKEYS: "localhost",
          LETTER_PAGES: letterPages.join(","),
          TEST_MIGRATIONS: await readD1Migrations(migrations),
        },
      },
    })),
  ],
  test: {
    name: "workers",
    // Files share a workerd each, which has loaded the modules. They must clean up after themselves.
    isolate: false,
    maxWorkers,
    // Loading their thousand modules one by one took five seconds in each test file.
    deps: {
      optimizer: {
        ssr: {
          enabled: true,
          include: libraries,
          rolldownOptions: {
            external: [/^node:/, /^cloudflare:/],
            plugins: [leaveOut],
            resolve: { conditionNames: [...bundling.conditions, "import", "default"] },
          },
        },
      },
    },
    // On a busy machine a single password hash takes a second.
    testTimeout: 120_000,
    // Milliseconds. Vitest's default of one second is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
    include: ["**/*.workers.test.ts"],
    globalSetup: ["./testing/openid-server.ts", "./testing/bundle.ts"],
    setupFiles: ["./testing/migrate.ts"],
  },
})
