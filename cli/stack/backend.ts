import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation/index.js"

import { root } from "../../root.ts"
import { callersOwn } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { localEngine, type LocalOptions } from "./local-stack.ts"
import type { Engine } from "./stack.ts"

/** Known before anything runs: the local Cloudflare's one account. */
const localAccount = "6163636f756e74736c6f63616c000001"

/** The local Cloudflare of a state directory as clients will see it once it runs. */
export function idleCloudflare({ apiPort }: LocalOptions, token: string) {
  return {
    api: `http://127.0.0.1:${apiPort}/client/v4`,
    token,
    accountId: localAccount,
  }
}

/** The engine on a state directory, for what only reads its backend: no Cloudflare is needed or started. */
export async function readingEngine(options: LocalOptions): Promise<Engine> {
  for (const name of callersOwn(process.env, {})) delete process.env[name]
  const found = await findEngine({ enginePath: options.engine, onProgress: engineProgress() })
  const cloudflare = idleCloudflare(options, "")
  return (await localEngine({ state: options.state, found, cloudflare })).engine
}

/** The stacks of a backend. None is opened: opening one makes it where it is missing. */
export async function openBackend(engine: Engine): Promise<LocalWorkspace> {
  // As in `openStack`: asked for its version, the engine would write to the user's home.
  const { PULUMI_HOME } = engine.environment
  if (PULUMI_HOME) process.env["PULUMI_HOME"] = PULUMI_HOME
  return await LocalWorkspace.create({
    workDir: root,
    envVars: engine.environment,
    pulumiCommand: await PulumiCommand.get(engine),
  })
}
