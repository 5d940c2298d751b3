import type { BuildOptions } from "esbuild"

/**
 * How `worker.ts` becomes one module: esbuild's options, as data, for the deployment and for the
 * tests that judge it. Paths are relative to the project's root.
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
  // A seventh of the module was what better-auth imports and this service has turned off.
  alias: {
    "@better-auth/core/social-providers": "./app/auth/stubs/social-providers.ts",
    "@better-auth/memory-adapter": "./app/auth/stubs/memory-adapter.ts",
    "@better-auth/telemetry": "./app/auth/stubs/telemetry.ts",
  },
} satisfies BuildOptions
