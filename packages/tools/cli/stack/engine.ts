import { join, resolve } from "node:path"

import { account } from "@accounts-stack/local/seed"
import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { userToken } from "../api.ts"
import { userEnvironment, userSettings, localEnvironment } from "../engine/engine-environment.ts"
import { type Engine as FoundEngine, findEngine } from "../engine/engine.ts"
import { run } from "../engine/executable.ts"
import {
  isReplacement,
  pluginFolder,
  preparePulumiHome,
  type Provider,
} from "../engine/pulumi-home.ts"
import { withAdvice } from "../error-report.ts"
import type { LocalOptions } from "../local-options.ts"
import { findRunning, type LocalCloudflare } from "../process/local-cloudflare.ts"

/** An engine that was found, with the settings of one backend. */
export type Engine = {
  /** Path of the engine's executable. */
  command: string
  version: string
  /** Added to this process's environment for every call of the engine. */
  environment: Record<string, string>
  /** Whether its Cloudflare provider is known to be the local stand-in. */
  replacement?: boolean
}

/** Returns the engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  userToken()
  return await userEngine(enginePath)
}

/** Returns the same engine without requiring a Cloudflare token. */
export async function userEngine(enginePath: string | undefined): Promise<Engine> {
  const { command, version } = await findEngine({ enginePath })
  const environment = userEnvironment({ engine: command })
  return { command, version, environment, replacement: hasReplacement() }
}

/** Whether `PULUMI_HOME` has the stand-in, as after `eval "$(./accounts local env)"`. */
function hasReplacement({ PULUMI_HOME: home }: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(home) && isReplacement(join(home ?? "", "plugins", pluginFolder))
}

type CloudflareAccess = Pick<LocalCloudflare, "api" | "token" | "accountId">

/** Returns the address at which a stopped local Cloudflare will listen. */
export function stoppedCloudflare({ apiPort }: LocalOptions, token: string): CloudflareAccess {
  const api = `http://127.0.0.1:${apiPort}/client/v4`
  return { api, token, accountId: account.id }
}

/** Prepares an engine that uses only the state, plugins and credentials of one state directory. */
export async function prepareLocalEngine(options: {
  state: string
  installed: FoundEngine
  cloudflare: CloudflareAccess
}): Promise<{ engine: Engine; provider: Provider }> {
  const { state, installed, cloudflare } = options
  const { command, version } = installed
  const { home, provider } = await preparePulumiHome({
    root: resolve(state, "pulumi"),
    choice: process.env["ACCOUNTS_PROVIDER"],
    baseUrl: cloudflare.api,
    engine: command,
  })
  const environment = localEnvironment({ state, home, engine: command, ...cloudflare })
  const replacement = provider === "stand-in"
  return { engine: { command, version, environment, replacement }, provider }
}

/**
 * Returns an engine that can read the backend of a state directory. It can decrypt secrets only while the local
 * Cloudflare runs, which has the key.
 */
export async function localBackendEngine(options: LocalOptions): Promise<Engine> {
  removeCallersSettings()
  const engine = await findEngine({ enginePath: options.engine })
  const running = await findRunning(options.state)
  const cloudflare = running ?? stoppedCloudflare(options, "")
  return (await prepareLocalEngine({ state: options.state, installed: engine, cloudflare })).engine
}

/**
 * Removes the caller's Cloudflare and Pulumi settings, which must not reach a local stack. `PULUMI_HOME` stays,
 * because the official provider may be installed there; engines get a home of their own.
 */
export function removeCallersSettings(): void {
  for (const name of userSettings(process.env, { PULUMI_HOME: "" })) delete process.env[name]
}

/**
 * Runs a command of the engine in a directory with a Pulumi.yaml and returns its stdout.
 * @throws Failure with the engine's own message
 */
export async function callEngine(
  { command, environment }: Engine,
  { directory, args, input }: { directory: string; args: string[]; input?: string },
): Promise<string> {
  try {
    return await run({
      command,
      args: [...args, "--non-interactive"],
      cwd: directory,
      env: { ...process.env, ...environment },
      ...(input !== undefined && { input }),
    })
  } catch (error) {
    const text = withAdvice(messageOf(error).replace(/^error: /, ""))
    throw new Failure("COMMAND_FAILED", text, { cause: error })
  }
}

const StackSummary = z.object({
  name: z.string(),
  lastUpdate: z.string().optional(),
  updateInProgress: z.boolean().optional(),
})
export type StackSummary = z.infer<typeof StackSummary>

export async function listStacks(engine: Engine): Promise<StackSummary[]> {
  return z.array(StackSummary).parse(await query(engine, ["stack", "ls"]))
}

/** Reads outputs by name, with secrets masked; empty if the backend does not have the stack. */
export async function readOutputs(engine: Engine, stack: string): Promise<Record<string, unknown>> {
  const outputs = query(engine, ["stack", "output", "--stack", stack])
  const stored = outputs.catch(async (error: unknown) => {
    if ((await listStacks(engine)).some(({ name }) => name === stack)) throw error
    return {}
  })
  return z.record(z.string(), z.unknown()).parse(await stored)
}

/** Queries the engine directly: the Automation API loads slowly, and would create a missing stack. */
async function query(engine: Engine, args: string[]): Promise<unknown> {
  return JSON.parse(await callEngine(engine, { directory: root, args: [...args, "--json"] }))
}
