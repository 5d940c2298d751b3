import { realpath } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

import { satisfies, type SemVer } from "semver"

import { root as checkout } from "../../base/root.ts"
import { findOnPath } from "./executable.ts"

/** The engine that is downloaded or built. package.json and go/go.mod pin the same version. */
export const engineVersion = "3.259.0"

/** The provider plugin that the pinned `@pulumi/cloudflare` requires. */
export const providerVersion = "6.22.1"

/** An installed engine may be newer, within the same major version. */
export function isAcceptable(version: SemVer) {
  return satisfies(version, `^${engineVersion}`, { includePrerelease: true })
}

/** Returns the path of the executable below `root`, as Pulumi installs itself. */
export function commandIn(root: string): string {
  return join(root, "bin", "pulumi")
}

/**
 * Environment of the engine for a stack on this machine; the caller must also remove `userSettings`.
 * The keys protect nothing: the secrets that they encrypt are on the same disk.
 */
export function localEnvironment(options: {
  /** Absolute state directory. */
  state: string
  /** From `preparePulumiHome`. */
  home: string
  engine: string
  token: string
  accountId: string
  /** URL of the local Cloudflare's API. */
  api: string
  env?: NodeJS.ProcessEnv
  repository?: string
}): Record<string, string> {
  const { state, home, engine, token, accountId, api } = options
  const { env = process.env, repository = checkout } = options
  return {
    PATH: pathWith({ engine, repository, env }),
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: backendUrl(state),
    VAULT_SERVER_URL: new URL("/local/key-service", api).href,
    // For stacks and templates without a key service.
    PULUMI_CONFIG_PASSPHRASE: "local",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // The home holds every plugin: without internet a download would only hang, and a plugin on PATH
    // would take precedence over the chosen one.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "1",
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_ACCOUNT_ID: accountId,
    // State may remember another port, and the engine reads resources before it runs the program.
    CLOUDFLARE_BASE_URL: api,
  }
}

/** The directory that contains Pulumi's `.pulumi`. */
export function backendDirectory(state: string): string {
  return join(state, "pulumi", "state")
}

/**
 * `metadata=skip`: Pulumi replaces its state files atomically but writes an `.attrs` file beside each
 * of them in place. A killed run can leave half of one, and then the stack is unreadable.
 */
function backendUrl(state: string): string {
  const url = pathToFileURL(backendDirectory(state))
  url.searchParams.set("metadata", "skip")
  return url.href
}

/** Environment of the engine for a stack at Cloudflare, with the caller's backend, secrets and credentials. */
export function userEnvironment(options: {
  engine: string
  env?: NodeJS.ProcessEnv
  repository?: string
}): Record<string, string> {
  const { engine, env = process.env, repository = checkout } = options
  return { PATH: pathWith({ engine, repository, env }), PULUMI_SKIP_UPDATE_CHECK: "1" }
}

/**
 * Names of variables that a local stack must not see: credentials of a real account or key service,
 * and settings that point Pulumi elsewhere.
 */
export function userSettings(env: NodeJS.ProcessEnv, values: Record<string, string>): string[] {
  return Object.keys(env).filter(
    (name) => /^(?:CLOUDFLARE|CF|PULUMI|VAULT)_/.test(name) && !(name in values),
  )
}

/** Lines for `eval` in a POSIX shell that set `values` and unset `userSettings`, whose values never appear. */
export function shellLines(values: Record<string, string>, env: NodeJS.ProcessEnv = process.env) {
  // A shell cannot unset a name that is not an identifier, and might run it.
  const names = userSettings(env, values).filter((name) => /^\w+$/.test(name))
  return [
    ...names.map((name) => `unset ${name}`),
    ...Object.entries(values).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
  ].join("\n")
}

/** Puts the project's engine and Node first and removes their later entries. */
function pathWith(options: { engine: string; repository: string; env: NodeJS.ProcessEnv }) {
  const first = [dirname(options.engine), join(options.repository, "node_modules", ".bin")]
  const rest = (options.env["PATH"] ?? "")
    .split(delimiter)
    .filter((entry) => !first.includes(entry))
  return [...first, ...rest].join(delimiter)
}

/**
 * Whether the `pulumi` command can run the program directly. Pulumi's own packages have the language host
 * beside the engine; an engine that was built from its Go modules comes without it.
 */
export async function hasLanguageHost(
  engine: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const beside = dirname(await realpath(engine).catch(() => engine))
  const path = [beside, dirname(engine), env["PATH"] ?? ""].join(delimiter)
  return (await findOnPath("pulumi-language-nodejs", { PATH: path })) !== undefined
}

/** Quotes a text as one word for a POSIX shell. */
export function shellQuote(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
