import { existsSync, statSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

import { reasonOf } from "./failure.ts"
import { interruptSignal } from "./interrupt.ts"
import { run } from "./process-group.ts"
import { unreachable } from "./reachable.ts"
import { isStandIn, pluginFile, pluginFolder } from "./stand-in-provider.ts"
import { providerVersion } from "./version.ts"

const installMilliseconds = 10 * 60_000

/**
 * Makes `home` hold Pulumi's own Cloudflare provider and says where it is from: there already,
 * linked from the caller's Pulumi home, or downloaded. Throws an error with the reason when it cannot be had.
 */
export async function provideOfficial(options: {
  home: string
  engine: string
  env: NodeJS.ProcessEnv
  site: URL
  onDownload: () => void
  signal?: AbortSignal
}): Promise<string> {
  const { home, engine, env, site, onDownload } = options
  const plugins = join(home, "plugins")
  if (isOfficial(plugins)) return "the official plugin is in place"

  const theirs = callersPlugins(env).find(isOfficial)
  if (theirs) {
    await link(join(theirs, pluginFolder), plugins)
    return `the official plugin is installed in ${theirs}`
  }

  const reason = await unreachable(new URL("install.sh", site), options.signal)
  if (reason) {
    throw new Error(`it is not installed in ${callersPlugins(env).join(" or ")}, and ${reason}`)
  }
  onDownload()
  await install({ home, engine, env, ...(options.signal && { signal: options.signal }) })
  if (!isOfficial(plugins)) throw new Error(`Pulumi installed it without ${pluginFile}`)
  return "the official plugin was downloaded"
}

/** The caller's `PULUMI_HOME` may be the stand-in's, after `eval "$(./accounts local env)"`. */
function isOfficial(plugins: string) {
  const plugin = join(plugins, pluginFolder)
  const complete = statSync(join(plugin, pluginFile), { throwIfNoEntry: false })?.isFile() ?? false
  // Pulumi keeps this mark beside a plugin while it is being unpacked.
  return complete && !existsSync(`${plugin}.partial`) && !isStandIn(plugin)
}

function callersPlugins(env: NodeJS.ProcessEnv) {
  const own = env["PULUMI_HOME"]
  const homes = [...(own ? [own] : []), join(env["HOME"] ?? homedir(), ".pulumi")]
  return homes.map((home) => join(home, "plugins"))
}

/** A folder of links, because Pulumi passes over a plugin folder that is itself a link. */
async function link(plugin: string, plugins: string) {
  await mkdir(plugins, { recursive: true })
  const draft = await mkdtemp(join(plugins, ".draft-"))
  for (const name of await readdir(plugin)) await symlink(join(plugin, name), join(draft, name))
  await rm(join(plugins, pluginFolder), { recursive: true, force: true })
  await rename(draft, join(plugins, pluginFolder))
}

async function install(options: {
  home: string
  engine: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
}) {
  const { home, engine, env } = options
  using interrupt = interruptSignal(options.signal)
  const limit = AbortSignal.timeout(installMilliseconds)
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
    throw new Error(`its download failed: ${reasonOf(cause)}`, { cause })
  }
}
