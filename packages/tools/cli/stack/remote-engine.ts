import { callersToken } from "../api.ts"
import { callersEnvironment } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import type { Engine } from "./engine.ts"

/** The engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  callersToken()
  return await callersEngine(enginePath)
}

/** The same, where Cloudflare is not asked. */
export async function callersEngine(enginePath: string | undefined): Promise<Engine> {
  const { command, root, version } = await findEngine({ enginePath })
  return { command, root, version, environment: callersEnvironment({ engine: command }) }
}
