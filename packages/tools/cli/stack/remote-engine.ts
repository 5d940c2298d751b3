import { join } from "node:path"

import { callersToken } from "../api.ts"
import { callersEnvironment } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { isStandIn, pluginFolder } from "../engine/pulumi-home.ts"
import type { Engine } from "./engine.ts"

/** The engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  callersToken()
  return await callersEngine(enginePath)
}

/** The same, where Cloudflare is not asked. */
export async function callersEngine(enginePath: string | undefined): Promise<Engine> {
  const { command, version } = await findEngine({ enginePath })
  const environment = callersEnvironment({ engine: command })
  return { command, version, environment, standIn: hasStandIn() }
}

/** After `eval "$(./accounts local env)"`. */
function hasStandIn({ PULUMI_HOME: home }: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(home) && isStandIn(join(home ?? "", "plugins", pluginFolder))
}
