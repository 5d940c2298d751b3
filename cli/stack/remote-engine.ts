import { Failure } from "../../base/failure.ts"
import { callersEnvironment } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import type { Engine } from "./engine.ts"

/** The engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  if (!process.env["CLOUDFLARE_API_TOKEN"]) {
    throw new Failure(
      "COMMAND_FAILED",
      "CLOUDFLARE_API_TOKEN is not set, and this stack is at Cloudflare. Set it, or add --local to work on this machine.",
    )
  }
  return await callersEngine(enginePath)
}

/** The same, where Cloudflare is not asked. */
export async function callersEngine(enginePath: string | undefined): Promise<Engine> {
  const { command, root, version } = await findEngine({ enginePath })
  return { command, root, version, environment: callersEnvironment({ engine: command }) }
}
