import { mkdir } from "node:fs/promises"
import { join } from "node:path"

import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { isLoopback } from "../../base/loopback.ts"
import { root as checkout } from "../../base/root.ts"
import { installOfficialProvider, pulumiSite } from "./official-provider.ts"
import { providerVersion } from "./pinned-versions.ts"
import { engineProgress } from "./progress-display.ts"
import { type OnProgress } from "./progress.ts"
import { writeStandIn } from "./stand-in-provider.ts"

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
    const onDownload = () => onProgress({ phase: "provider" })
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
    onProgress({ phase: "done" })
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
