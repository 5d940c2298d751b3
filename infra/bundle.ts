import type { BuildOptions, Plugin } from "esbuild"

import { pageFiles, pagePaths } from "../app/page-paths.ts"

/**
 * Modules of better-auth for features that are off or replaced here; docs/bundle.md says what they weigh. The
 * build fails when an update moves one, or another export of it is imported.
 */
export const offModules: Record<string, string> = {
  // A page for errors of sign-ins with a provider, which end in the front end.
  "/better-auth/dist/api/routes/error.mjs": "export const error = {}",
  // `rateLimit: { enabled: false }`: the limits are those of Cloudflare.
  "/better-auth/dist/api/rate-limiter/index.mjs": "export async function onRequestRateLimit() {}",
  // `sign-in/password/sign-in.ts` replaces the one, and the other is off.
  "/better-auth/dist/api/routes/sign-in.mjs":
    "export const signInEmail = () => ({}); export const signInSocial = () => ({})",
  // `account/password/` and `account/deletion/account-deletion.ts` replace two, and the others are off.
  "/better-auth/dist/api/routes/update-user.mjs":
    "export const changeEmail = {}, changePassword = {}, deleteUser = {}, deleteUserCallback = {}, setPassword = {}, updateUser = () => ({})",
  // `account/sign-up/sign-up.ts` replaces it.
  "/better-auth/dist/api/routes/sign-up.mjs": "export const signUpEmail = () => ({})",
  // `sign-in/provider/openid-sign-in.ts` replaces it.
  "/better-auth/dist/api/routes/callback.mjs": "export const callbackOAuth = {}",
  // `account/sign-up/email-verification.ts` replaces them; its e-mails for a linked identity are off.
  "/better-auth/dist/api/routes/email-verification.mjs":
    "export const sendVerificationEmail = {}, verifyEmail = {}; export let createEmailVerificationToken, sendVerificationEmailFn",
  // `telemetry: { enabled: false }`.
  "/@better-auth/telemetry/dist/index.mjs":
    "export const createTelemetry = async () => ({ publish: async () => {} }), getTelemetryAuthConfig = () => ({})",
  // Its adapter without a database, by an `import()` that would be a chunk.
  "/better-auth/dist/db/adapter-base.mjs":
    "export const getBaseAdapter = async (options) => options.database(options)",
  // Its 35 providers: `sign-in/provider/` handles every one. Two disabled paths have the list in their input.
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

/** The pages are a module of their own that shares no code, since most environments do without. */
const apart: Plugin = {
  name: "modules of their own",
  setup(building) {
    building.onResolve({ filter: /\/pages\.tsx$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./pages.js", external: true } : undefined,
    )
  },
}

/** The second module, the binding that it is deployed with, and the page that a first visit begins with. */
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

/** The behavior of workerd wherever the Worker runs: deployed, under test, in a benchmark. */
export const compatibilityDate = "2026-08-01"
export const compatibilityFlags = ["nodejs_compat"]
