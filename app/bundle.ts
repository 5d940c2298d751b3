import type { BuildOptions } from "esbuild"

/**
 * esbuild's options for bundling the Worker into one module, shared by the deployment and the tests.
 * Paths are relative to the project's root.
 */
export const bundling = {
  entryPoints: ["app/worker.ts"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2024",
  platform: "browser",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["module", "main"],
  external: ["node:*", "cloudflare:*"],
  legalComments: "none",
  logLevel: "silent",
  // better-auth imports these features, which this service does not use; see docs/bundle.md.
  alias: {
    "@better-auth/core/social-providers": "./app/auth/stubs/social-providers.ts",
    "@better-auth/memory-adapter": "./app/auth/stubs/memory-adapter.ts",
    "@better-auth/telemetry": "./app/auth/stubs/telemetry.ts",
    "@noble/ciphers/chacha.js": "./app/auth/stubs/ciphers.ts",
    "@noble/ciphers/utils.js": "./app/auth/stubs/ciphers.ts",
  },
} satisfies BuildOptions
