import { resolve } from "node:path"

import { account } from "@accounts-stack/local/seed"

import { callersOwn, localEnvironment } from "../engine/engine-environment.ts"
import { findEngine, type Engine as FoundEngine } from "../engine/engine.ts"
import { preparePulumiHome, type Provider } from "../engine/pulumi-home.ts"
import type { LocalOptions } from "../local-options.ts"
import { findRunning, type LocalCloudflare } from "../process/local-cloudflare.ts"
import type { Engine } from "./engine.ts"

type CloudflareAccess = Pick<LocalCloudflare, "api" | "token" | "accountId">

/** Where a local Cloudflare that is not running will listen. */
export function stoppedCloudflare({ apiPort }: LocalOptions, token: string): CloudflareAccess {
  const api = `http://127.0.0.1:${apiPort}/client/v4`
  return { api, token, accountId: account.id }
}

/** The engine with the state, plugins and credentials of one state directory alone. */
export async function prepareLocalEngine(options: {
  state: string
  found: FoundEngine
  cloudflare: CloudflareAccess
}): Promise<{ engine: Engine; provider: Provider }> {
  const { state, found, cloudflare } = options
  const { command, version } = found
  const { home, provider } = await preparePulumiHome({
    root: resolve(state, "pulumi"),
    choice: process.env["ACCOUNTS_PROVIDER"],
    baseUrl: cloudflare.api,
    engine: command,
  })
  const environment = localEnvironment({ state, home, engine: command, ...cloudflare })
  const standIn = provider === "stand-in"
  return { engine: { command, version, environment, standIn }, provider }
}

/**
 * Enough to read the backend of a state directory. While the local Cloudflare runs, also to open
 * secrets: it has the key.
 */
export async function localBackendEngine(options: LocalOptions): Promise<Engine> {
  removeCallersSettings()
  const found = await findEngine({ enginePath: options.engine })
  const running = await findRunning(options.state)
  const cloudflare = running ?? stoppedCloudflare(options, "")
  return (await prepareLocalEngine({ state: options.state, found, cloudflare })).engine
}

/**
 * The caller's Cloudflare and Pulumi settings must not reach a local stack. Only their Pulumi home
 * stays known: the official provider may be installed there. Every engine gets another one.
 */
export function removeCallersSettings(): void {
  for (const name of callersOwn(process.env, { PULUMI_HOME: "" })) delete process.env[name]
}
