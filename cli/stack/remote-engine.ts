import { Failure } from "../../base/failure.ts"
import { callersEnvironment } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/progress-display.ts"
import type { Engine } from "./engine.ts"

/** The engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  if (!process.env["CLOUDFLARE_API_TOKEN"]) {
    throw new Failure(
      "COMMAND_FAILED",
      "CLOUDFLARE_API_TOKEN is not set, and this stack is at Cloudflare. Set it, or add --local to work on this machine.",
    )
  }
  const found = await findEngine({ enginePath, onProgress: engineProgress() })
  const { command, root, version } = found
  const environment = callersEnvironment({ engine: command })
  return { command, root, version, environment }
}
