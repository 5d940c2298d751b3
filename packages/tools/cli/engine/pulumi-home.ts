import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { isLoopback } from "../../base/loopback.ts"
import { root as checkout } from "../../base/root.ts"
import { interruptSignal } from "../confirm.ts"
import { whyUnreachable } from "./download.ts"
import { shellQuote, providerVersion } from "./engine-environment.ts"
import { run } from "./executable.ts"

/** Gets each step as it begins, and nothing once the last one has ended. */
export type OnProgress = (step?: string) => void

const interval = 15_000

/** Prints a line for each step, and one every 15 seconds while it lasts. */
export function engineProgress(
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): OnProgress {
  let timer: NodeJS.Timeout | undefined
  return (step) => {
    clearInterval(timer)
    if (step === undefined) return
    const began = performance.now()
    const repeat = () => write(`${step} (${Math.round((performance.now() - began) / 1000)} s)\n`)
    write(`${step}\n`)
    timer = setInterval(repeat, interval).unref()
  }
}

const Provider = z.enum(["official", "stand-in"])

export type Provider = z.infer<typeof Provider>

/**
 * Prepares a `PULUMI_HOME` that contains a Cloudflare provider: Pulumi's own if it is available,
 * otherwise the stand-in, which is for a loopback API only. Each has its own home under `root`,
 * beside the state of a file backend, so that they are never mixed up.
 *
 * @throws Failure
 */
export async function preparePulumiHome(options: {
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
}): Promise<{ home: string; provider: Provider; reason: string }> {
  const { root, baseUrl, engine, env = process.env, repository = checkout } = options
  const { site = pulumiSite, onProgress = engineProgress() } = options
  const choice = parseChoice(options.choice)
  // A file backend does not create its directory; only the owner may read the state in it.
  await mkdir(join(root, "state"), { recursive: true, mode: 0o700 })

  if (choice === "stand-in") return standIn("ACCOUNTS_PROVIDER is stand-in")
  try {
    const home = await makeHome("official")
    const onDownload = () =>
      onProgress(`Downloading Pulumi's Cloudflare provider ${providerVersion}`)
    const reason = await installOfficialProvider({ home, engine, env, site, onDownload })
    return { home, provider: "official", reason }
  } catch (cause) {
    if (isFailure(cause, "INTERRUPTED")) throw cause
    const reason = `the official plugin is not available: ${messageOf(cause)}`
    if (choice === undefined && isLoopback(baseUrl)) return standIn(reason)
    throw new Failure(
      "COMMAND_FAILED",
      `No Cloudflare provider: ${reason}.\nConnect to the internet, or install the plugin yourself: pulumi plugin install resource cloudflare ${providerVersion}` +
        (isLoopback(baseUrl)
          ? `\nFor a local stack the stand-in is enough: ACCOUNTS_PROVIDER=stand-in`
          : ""),
      { cause },
    )
  } finally {
    onProgress()
  }

  async function standIn(reason: string) {
    if (!isLoopback(baseUrl)) {
      throw new Failure(
        "COMMAND_FAILED",
        `The stand-in provider works on this machine only, and the API is ${baseUrl}. Unset ACCOUNTS_PROVIDER, or set it to official.`,
      )
    }
    const home = await makeHome("stand-in")
    await writeStandIn({ home, repository })
    return { home, provider: "stand-in" as const, reason }
  }

  async function makeHome(provider: Provider) {
    const home = join(root, provider)
    await mkdir(home, { recursive: true, mode: 0o700 })
    return home
  }
}

function parseChoice(choice: string | undefined) {
  if (!choice) return undefined
  const { data } = Provider.safeParse(choice)
  if (data) return data
  throw new Failure(
    "COMMAND_FAILED",
    `ACCOUNTS_PROVIDER is ${JSON.stringify(choice)}; it must be official, stand-in or unset.`,
  )
}

/** Where the engine looks for plugins that GitHub does not give it. */
const pulumiSite = new URL("https://get.pulumi.com/")

const installTimeout = 10 * 60_000

/**
 * Puts Pulumi's own Cloudflare provider into `home`, by links to the caller's Pulumi home or by a
 * download, and returns where it came from.
 * @throws Error with the reason if it is not available
 */
async function installOfficialProvider(options: {
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
  const configuredHome = env["PULUMI_HOME"]
  const homes = [
    ...(configuredHome ? [configuredHome] : []),
    join(env["HOME"] ?? homedir(), ".pulumi"),
  ]
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

/** The folder and the file name that the engine looks for. */
export const pluginFolder = `resource-cloudflare-v${providerVersion}`
const pluginFile = "pulumi-resource-cloudflare"

/** This file marks a plugin folder as the stand-in's. */
const note = "stand-in.txt"

export function isStandIn(plugin: string) {
  return existsSync(join(plugin, note))
}

/**
 * Writes a plugin where the engine looks for Pulumi's own provider. It starts `packages/local/provider` of this
 * checkout by its path, so it is written again when the checkout has moved.
 */
async function writeStandIn({ home, repository }: { home: string; repository: string }) {
  const plugin = join(home, "plugins", pluginFolder)
  await mkdir(plugin, { recursive: true })
  const projectNode = join(repository, "node_modules", ".bin", "node")
  const node = existsSync(projectNode) ? projectNode : process.execPath
  const main = join(repository, "packages", "local", "provider", "main.js")
  await put(join(plugin, note), {
    mode: 0o644,
    content: [
      "Accounts' stand-in for Pulumi's Cloudflare provider, used where the official plugin is not available.",
      "It works with the local Cloudflare only. Set ACCOUNTS_PROVIDER=official to use the official plugin.",
      "",
    ].join("\n"),
  })
  await put(join(plugin, pluginFile), {
    mode: 0o755,
    content: `#!/bin/sh\nexec ${shellQuote(node)} ${shellQuote(main)} "$@"\n`,
  })
}

/** Replaces the file in one step, because an engine may be starting the plugin. */
async function put(file: string, { content, mode }: { content: string; mode: number }) {
  const current = await readFile(file, "utf8").catch(() => undefined)
  if (current === content) return
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content, { mode })
  await rename(temporary, file)
}
