import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { isLoopback } from "../../base/loopback.ts"
import { root as checkout } from "../../base/root.ts"
import { interruptSignal } from "../confirm.ts"
import { whyUnreachable } from "./download.ts"
import { shellQuote, providerVersion } from "./engine-environment.ts"
import { engineProgress, type OnProgress, run } from "./executable.ts"

export type Provider = "official" | "stand-in"

type Options = {
  /** Directory for the homes, usually `<state>/pulumi`. */
  root: string
  /** ACCOUNTS_PROVIDER: `official`, `stand-in`, or empty for the best one available. */
  choice: string | undefined
  /** The Cloudflare API of the stack. */
  baseUrl: string
  /** Path of the engine. */
  engine: string
  env?: NodeJS.ProcessEnv
  repository?: string
  site?: URL
  onProgress?: OnProgress
}

/**
 * Prepares a `PULUMI_HOME` that contains a Cloudflare provider: Pulumi's own if it is available,
 * otherwise the stand-in, which works only with a loopback API. Each provider has its own home under `root`,
 * beside the state of a file backend.
 *
 * @throws Failure
 */
export async function preparePulumiHome(
  options: Options,
): Promise<{ home: string; provider: Provider; reason: string }> {
  const { root, choice, baseUrl, repository = checkout, onProgress = engineProgress() } = options
  if (choice && choice !== "official" && choice !== "stand-in") {
    throw failure(
      `ACCOUNTS_PROVIDER is ${JSON.stringify(choice)}; it must be official, stand-in or unset.`,
    )
  }
  // A file backend does not create its directory; only the owner may read the state in it.
  await mkdir(join(root, "state"), { recursive: true, mode: 0o700 })
  let reason = "ACCOUNTS_PROVIDER is stand-in"
  if (choice !== "stand-in") {
    try {
      const home = await createHome(root, "official")
      const source = await installOfficialProvider(home, { ...options, onProgress })
      return { home, provider: "official", reason: source }
    } catch (cause) {
      if (isFailure(cause, "INTERRUPTED")) throw cause
      reason = `the official plugin is not available: ${messageOf(cause)}`
      if (choice || !isLoopback(baseUrl)) {
        const advice = `Connect to the internet, or install the plugin yourself: pulumi plugin install resource cloudflare ${providerVersion}`
        const here = "\nFor a local stack the stand-in is enough: ACCOUNTS_PROVIDER=stand-in"
        const suffix = isLoopback(baseUrl) ? here : ""
        throw failure(`No Cloudflare provider: ${reason}.\n${advice}${suffix}`, cause)
      }
    } finally {
      onProgress()
    }
  }
  if (!isLoopback(baseUrl)) {
    throw failure(
      `The stand-in provider works on this machine only, and the API is ${baseUrl}. Unset ACCOUNTS_PROVIDER, or set it to official.`,
    )
  }
  const home = await createHome(root, "stand-in")
  await writeReplacement(home, repository)
  return { home, provider: "stand-in", reason }
}

function failure(message: string, cause?: unknown): Failure {
  return new Failure("COMMAND_FAILED", message, { cause })
}

async function createHome(root: string, provider: Provider): Promise<string> {
  const home = join(root, provider)
  await mkdir(home, { recursive: true, mode: 0o700 })
  return home
}

/** The site from which the engine downloads plugins that it does not get from GitHub. */
const pulumiSite = new URL("https://get.pulumi.com/")

const installTimeout = 10 * 60_000

/**
 * Puts Pulumi's own Cloudflare provider into `home`, by links to the caller's Pulumi home or by a
 * download, and returns where it came from.
 * @throws Error with the reason if it is not available
 */
async function installOfficialProvider(
  home: string,
  { engine, env = process.env, site = pulumiSite, onProgress = () => {} }: Options,
): Promise<string> {
  const plugins = join(home, "plugins")
  if (isOfficial(plugins)) return "the official plugin is in place"
  const { PULUMI_HOME: callersHome, HOME: user = homedir() } = env
  const homes = [...(callersHome ? [callersHome] : []), join(user, ".pulumi")]
  const candidates = homes.map((path) => join(path, "plugins"))
  const installed = candidates.find(isOfficial)
  if (installed) {
    await link(join(installed, pluginFolder), plugins)
    return `the official plugin is installed in ${installed}`
  }
  const reason = await whyUnreachable(new URL("install.sh", site))
  if (reason) throw new Error(`it is not installed in ${candidates.join(" or ")}, and ${reason}`)
  onProgress(`Downloading Pulumi's Cloudflare provider ${providerVersion}`)
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
    const text = limit.aborted ? "took more than 10 minutes" : `failed: ${messageOf(cause)}`
    throw new Error(`its download ${text}`, { cause })
  }
  if (!isOfficial(plugins)) throw new Error(`Pulumi installed it without ${pluginFile}`)
  return "the official plugin was downloaded"
}

/** After `eval "$(./accounts local env)"` the caller's `PULUMI_HOME` may contain the stand-in. */
function isOfficial(plugins: string): boolean {
  const plugin = join(plugins, pluginFolder)
  const complete = statSync(join(plugin, pluginFile), { throwIfNoEntry: false })?.isFile() ?? false
  // Pulumi keeps this file beside a plugin while it unpacks it.
  return complete && !existsSync(`${plugin}.partial`) && !isReplacement(plugin)
}

/** Links each file, because Pulumi ignores a plugin folder that is itself a link. */
async function link(plugin: string, plugins: string): Promise<void> {
  await mkdir(plugins, { recursive: true })
  const draft = await mkdtemp(join(plugins, ".draft-"))
  for (const name of await readdir(plugin)) await symlink(join(plugin, name), join(draft, name))
  await rm(join(plugins, pluginFolder), { recursive: true, force: true })
  await rename(draft, join(plugins, pluginFolder))
}

/** The folder and the file name that the engine looks for. */
export const pluginFolder = `resource-cloudflare-v${providerVersion}`
const pluginFile = "pulumi-resource-cloudflare"

/** This file marks a plugin folder as the stand-in's. */
const note = "stand-in.txt"

export function isReplacement(plugin: string): boolean {
  return existsSync(join(plugin, note))
}

/**
 * Writes a plugin where the engine looks for Pulumi's own provider. It starts `packages/local/provider` of this
 * checkout by its path, so it is written again when the checkout has moved.
 */
async function writeReplacement(home: string, repository: string): Promise<void> {
  const plugin = join(home, "plugins", pluginFolder)
  await mkdir(plugin, { recursive: true })
  const projectNode = join(repository, "node_modules", ".bin", "node")
  const node = existsSync(projectNode) ? projectNode : process.execPath
  const main = join(repository, "packages", "local", "provider", "main.js")
  const text = `Accounts' stand-in for Pulumi's Cloudflare provider, used where the official plugin is not available.
It works with the local Cloudflare only. Set ACCOUNTS_PROVIDER=official to use the official plugin.
`
  const script = `#!/bin/sh\nexec ${shellQuote(node)} ${shellQuote(main)} "$@"\n`
  await replaceFile(join(plugin, note), text, 0o644)
  await replaceFile(join(plugin, pluginFile), script, 0o755)
}

/** Replaces it in one step, because an engine may be starting the plugin. */
async function replaceFile(file: string, content: string, mode: number): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => undefined)) === content) return
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content, { mode })
  await rename(temporary, file)
}
