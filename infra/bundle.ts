import type { BuildOptions, Plugin } from "esbuild"

import { pageFiles, pagePaths } from "../app/page-paths.ts"

/**
 * Modules of better-auth for features that are off or replaced here; docs/bundle.md lists their sizes. The build fails
 * if an update moves one, or if other code imports another of its exports.
 */
export const offModules: Record<string, string> = {
  // The error page for sign-ins with a provider, whose errors the front end shows instead.
  "/better-auth/dist/api/routes/error.mjs": "export const error = {}",
  // Off by `rateLimit: { enabled: false }`: Cloudflare limits requests instead.
  "/better-auth/dist/api/rate-limiter/index.mjs": "export async function onRequestRateLimit() {}",
  // `sign-in/password/sign-in.ts` replaces the first; the second is off.
  "/better-auth/dist/api/routes/sign-in.mjs":
    "export const signInEmail = () => ({}); export const signInSocial = () => ({})",
  // `account/password/` and `account/deletion/account-deletion.ts` replace two of them; the others are off.
  "/better-auth/dist/api/routes/update-user.mjs":
    "export const changeEmail = {}, changePassword = {}, deleteUser = {}, deleteUserCallback = {}, setPassword = {}, updateUser = () => ({})",
  // Replaced by `account/sign-up/sign-up.ts`.
  "/better-auth/dist/api/routes/sign-up.mjs": "export const signUpEmail = () => ({})",
  // Replaced by `sign-in/provider/openid-sign-in.ts`.
  "/better-auth/dist/api/routes/callback.mjs": "export const callbackOAuth = {}",
  // Replaced by `account/sign-up/email-verification.ts`; the emails for a linked identity are off.
  "/better-auth/dist/api/routes/email-verification.mjs":
    "export const sendVerificationEmail = {}, verifyEmail = {}; export let createEmailVerificationToken, sendVerificationEmailFn",
  // Off by `telemetry: { enabled: false }`.
  "/@better-auth/telemetry/dist/index.mjs":
    "export const createTelemetry = async () => ({ publish: async () => {} }), getTelemetryAuthConfig = () => ({})",
  // The adapter for running without a database; its `import()` would create a chunk.
  "/better-auth/dist/db/adapter-base.mjs":
    "export const getBaseAdapter = async (options) => options.database(options)",
  // The library's 35 providers: `sign-in/provider/` handles all. Two disabled paths use the list in their input.
  "/@better-auth/core/dist/social-providers/index.mjs":
    'import { string } from "zod"; export const socialProviders = {}, SocialProviderListEnum = string()',
}

/** Returns what replaces the module of a path, or undefined if the module stays in the bundle. */
export function offModule(path: string) {
  const match = Object.entries(offModules).find(([end]) => path.replaceAll("\\", "/").endsWith(end))
  return match && { end: match[0], contents: match[1] }
}

const leaveOut: Plugin = {
  name: "modules of features that are off",
  setup(building) {
    let unusedModules = new Set<string>()
    building.onStart(() => {
      unusedModules = new Set(Object.keys(offModules))
    })
    building.onLoad({ filter: /[/\\](better-auth|@better-auth)[/\\]/ }, ({ path }) => {
      const match = offModule(path)
      if (match === undefined) return undefined
      unusedModules.delete(match.end)
      return { contents: match.contents, loader: "js" }
    })
    building.onEnd(() => ({
      errors: [...unusedModules].map((end) => ({
        text: `infra/bundle.ts: there is no module ${end} any more`,
      })),
    }))
  },
}

/** Bundles the pages as a separate module, because most environments do not use them. */
const apart: Plugin = {
  name: "modules of their own",
  setup(building) {
    building.onResolve({ filter: /\/pages\.tsx$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./pages.js", external: true } : undefined,
    )
  },
}

/** The second module, the binding that requires it, and the page that a first visit opens. */
export const secondModule = {
  name: "pages.js",
  entryPoint: "app/pages/pages.tsx",
  binding: "PAGES",
  firstPage: "/sign-up",
  paths: [...pagePaths, pageFiles],
}

/**
 * esbuild's options for bundling the Worker, shared by the deployment and the tests: one module,
 * one for each `import()`, and what they share. Paths are relative to the project's root.
 */
export const bundling = {
  entryPoints: ["app/worker.ts"],
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2024",
  platform: "browser",
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["module", "main"],
  external: ["node:*", "cloudflare:*"],
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
  legalComments: "none",
  logLevel: "silent",
  plugins: [leaveOut, apart],
} satisfies BuildOptions

/** Fixes the behavior of workerd in deployments, tests and benchmarks. */
export const compatibilityDate = "2026-08-01"
export const compatibilityFlags = ["nodejs_compat"]
