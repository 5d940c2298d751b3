import { fileURLToPath } from "node:url"

import { reasonOf } from "./failure.ts"
import { run } from "./process-group.ts"
import { unreachable } from "./reachable.ts"
import { engineVersion } from "./version.ts"

/** Where Pulumi publishes the engine's installer. */
export const pulumiSite = new URL("https://get.pulumi.com/")

const downloadMilliseconds = 15 * 60_000

/** Puts the official engine into `root/bin`; throws an error with the reason when it cannot be had. */
export async function downloadEngine(options: {
  root: string
  site: URL
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  onReachable: () => void
}) {
  const { root, site, env, signal, onReachable } = options
  const reason = await unreachable(new URL("install.sh", site), signal)
  if (reason) throw new Error(`No download: ${reason}.`)
  onReachable()
  const limit = AbortSignal.timeout(downloadMilliseconds)
  try {
    await run({
      command: process.execPath,
      args: [fileURLToPath(new URL("install.ts", import.meta.url)), root, engineVersion],
      env,
      signal: AbortSignal.any([signal, limit]),
    })
  } catch (cause) {
    signal.throwIfAborted()
    if (limit.aborted) throw new Error("The download took more than 15 minutes.", { cause })
    throw new Error(`The download failed: ${reasonOf(cause)}`, { cause })
  }
}
