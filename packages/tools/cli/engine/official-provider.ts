import { existsSync, statSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

import { messageOf } from "../../base/failure.ts"
import { interruptSignal } from "../interruption.ts"
import { providerVersion } from "./pinned-versions.ts"
import { run } from "./process-group.ts"
import { whyUnreachable } from "./site-probe.ts"
import { isStandIn, pluginFile, pluginFolder } from "./stand-in-provider.ts"

/** Where the engine looks for plugins that GitHub does not give it. */
export const pulumiSite = new URL("https://get.pulumi.com/")

const installTimeout = 10 * 60_000

/**
 * Puts Pulumi's own Cloudflare provider into `home`, by links to the caller's Pulumi home or by a
 * download, and returns where it came from.
 * @throws Error with the reason if it is not available
 */
export async function installOfficialProvider(options: {
  home: string
  engine: string
  env: NodeJS.ProcessEnv
  site: URL
  onDownload: () => void
}): Promise<string> {
  const { home, engine, env, site, onDownload } = options
  const plugins = join(home, "plugins")
  if (isOfficial(plugins)) return "the official plugin is in place"

  const installed = callersPlugins(env).find(isOfficial)
  if (installed) {
    await link(join(installed, pluginFolder), plugins)
    return `the official plugin is installed in ${installed}`
  }

  const reason = await whyUnreachable(new URL("install.sh", site))
  if (reason) {
    throw new Error(`it is not installed in ${callersPlugins(env).join(" or ")}, and ${reason}`)
  }
  onDownload()
  await download({ home, engine, env })
  if (!isOfficial(plugins)) throw new Error(`Pulumi installed it without ${pluginFile}`)
  return "the official plugin was downloaded"
}

/** After `eval "$(./accounts local env)"` the caller's `PULUMI_HOME` may contain the stand-in. */
function isOfficial(plugins: string) {
  const plugin = join(plugins, pluginFolder)
  const complete = statSync(join(plugin, pluginFile), { throwIfNoEntry: false })?.isFile() ?? false
  // Pulumi keeps this file beside a plugin while it unpacks it.
  return complete && !existsSync(`${plugin}.partial`) && !isStandIn(plugin)
}

function callersPlugins(env: NodeJS.ProcessEnv) {
  const own = env["PULUMI_HOME"]
  const homes = [...(own ? [own] : []), join(env["HOME"] ?? homedir(), ".pulumi")]
  return homes.map((home) => join(home, "plugins"))
}

/** Links each file, because Pulumi ignores a plugin folder that is itself a link. */
async function link(plugin: string, plugins: string) {
  await mkdir(plugins, { recursive: true })
  const draft = await mkdtemp(join(plugins, ".draft-"))
  for (const name of await readdir(plugin)) await symlink(join(plugin, name), join(draft, name))
  await rm(join(plugins, pluginFolder), { recursive: true, force: true })
  await rename(draft, join(plugins, pluginFolder))
}

async function download({
  home,
  engine,
  env,
}: {
  home: string
  engine: string
  env: NodeJS.ProcessEnv
}) {
  using interrupt = interruptSignal("Run the command again.")
  const limit = AbortSignal.timeout(installTimeout)
  try {
    await run({
      command: engine,
      args: ["plugin", "install", "resource", "cloudflare", providerVersion, "--non-interactive"],
      env: { ...env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "1" },
      signal: AbortSignal.any([interrupt.signal, limit]),
    })
  } catch (cause) {
    interrupt.signal.throwIfAborted()
    if (limit.aborted) throw new Error("its download took more than 10 minutes", { cause })
    throw new Error(`its download failed: ${messageOf(cause)}`, { cause })
  }
}
