import { delimiter, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

import { root as checkout } from "../../root.ts"
import { quote } from "./stand-in-provider.ts"

/**
 * What the engine of a stack on this machine runs with, on top of the caller's environment without
 * `callersOwn`. The passphrase is a constant: what it encrypts lies beside it on the same disk.
 */
export function localEnvironment(options: {
  /** Absolute state directory. */
  state: string
  /** From `preparePulumiHome`. */
  home: string
  /** Path of the engine. */
  engine: string
  token: string
  accountId: string
  env?: NodeJS.ProcessEnv
  repository?: string
}): Record<string, string> {
  const { state, home, engine, token, accountId } = options
  const { env = process.env, repository = checkout } = options
  return {
    PATH: pathWith({ engine, repository, env }),
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: backendUrl(state),
    PULUMI_CONFIG_PASSPHRASE: "local",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // Everything the stack needs is in its home: a download could only hang without internet,
    // and a plugin that happens to be on PATH would win over the one that was chosen.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "1",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "1",
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_ACCOUNT_ID: accountId,
  }
}

/** Files of Pulumi's state: the directory of `.pulumi`. */
export function backendDirectory(state: string): string {
  return join(state, "pulumi", "state")
}

/**
 * Pulumi replaces its files as a whole, but for what it writes beside each of them in place: a run
 * that is killed then leaves half a `.attrs`, and the stack can't be read any more.
 */
function backendUrl(state: string): string {
  const url = pathToFileURL(backendDirectory(state))
  url.searchParams.set("metadata", "skip")
  return url.href
}

/** What the engine of a stack at Cloudflare runs with: backend, secrets and credentials are the caller's. */
export function callersEnvironment(options: {
  engine: string
  env?: NodeJS.ProcessEnv
  repository?: string
}): Record<string, string> {
  const { engine, env = process.env, repository = checkout } = options
  return { PATH: pathWith({ engine, repository, env }), PULUMI_SKIP_UPDATE_CHECK: "1" }
}

/**
 * Names of the caller's variables that a local stack must not see: credentials of a real account,
 * and settings that point Pulumi elsewhere.
 */
export function callersOwn(env: NodeJS.ProcessEnv, values: Record<string, string>): string[] {
  return Object.keys(env).filter(
    (name) => /^(?:CLOUDFLARE|CF|PULUMI)_/.test(name) && !(name in values),
  )
}

/** For `eval` in a POSIX shell: sets `values` and unsets the caller's own, naming but never showing them. */
export function shellLines(values: Record<string, string>, env: NodeJS.ProcessEnv = process.env) {
  // A name that is no identifier cannot be set or unset by a shell, and must not be read by one.
  const names = callersOwn(env, values).filter((name) => /^\w+$/.test(name))
  return [
    ...names.map((name) => `unset ${name}`),
    ...Object.entries(values).map(([name, value]) => `export ${name}=${quote(value)}`),
  ].join("\n")
}

/** The project's engine and Node first, once. */
function pathWith(options: { engine: string; repository: string; env: NodeJS.ProcessEnv }) {
  const first = [dirname(options.engine), join(options.repository, "node_modules", ".bin")]
  const rest = (options.env["PATH"] ?? "")
    .split(delimiter)
    .filter((entry) => !first.includes(entry))
  return [...first, ...rest].join(delimiter)
}
