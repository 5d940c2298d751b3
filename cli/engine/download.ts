import { fileURLToPath } from "node:url"

import { messageOf } from "../../failure.ts"
import { engineVersion } from "./pinned-versions.ts"
import { run } from "./process-group.ts"
import { whyUnreachable } from "./site-probe.ts"

/** Where Pulumi publishes the engine's installer. */
export const pulumiSite = new URL("https://get.pulumi.com/")

const downloadTimeout = 15 * 60_000

/** Downloads the official engine into `root/bin`. @throws Error with the reason if that fails */
export async function downloadEngine(options: {
  root: string
  site: URL
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  onReachable: () => void
}) {
  const { root, site, env, signal, onReachable } = options
  const reason = await whyUnreachable(new URL("install.sh", site), signal)
  if (reason) throw new Error(`No download: ${reason}.`)
  onReachable()
  const limit = AbortSignal.timeout(downloadTimeout)
  try {
    await run({
      command: process.execPath,
      args: [fileURLToPath(new URL("run-installer.ts", import.meta.url)), root, engineVersion],
      env,
      signal: AbortSignal.any([signal, limit]),
    })
  } catch (cause) {
    signal.throwIfAborted()
    if (limit.aborted) throw new Error("The download took more than 15 minutes.", { cause })
    throw new Error(`The download failed: ${messageOf(cause)}`, { cause })
  }
}
