import { mkdir } from "node:fs/promises"
import { join } from "node:path"

import * as z from "zod"

import { isLoopback } from "../../loopback.ts"
import { root as checkout } from "../../root.ts"
import { pulumiSite } from "./download.ts"
import { EngineInterrupted, ProviderUnavailable, reasonOf } from "./failure.ts"
import { provideOfficial } from "./official-provider.ts"
import { type OnProgress } from "./progress.ts"
import { writeStandIn } from "./stand-in-provider.ts"
import { providerVersion } from "./version.ts"

const Provider = z.enum(["official", "stand-in"])

export type Provider = z.infer<typeof Provider>

/**
 * Prepares a `PULUMI_HOME` with a Cloudflare provider in it: Pulumi's own where it can be had,
 * otherwise the stand-in, but that one for a loopback API only. Each has a home of its own under
 * `root`, beside the state of a file backend, so that one is never taken for the other.
 *
 * @throws ProviderUnavailable
 */
export async function preparePulumiHome(options: {
  /** Directory for the homes, usually `<state>/pulumi`. */
  root: string
  /** ACCOUNTS_PROVIDER: `official`, `stand-in`, or empty for the best that can be had. */
  choice: string | undefined
  /** The Cloudflare API of the stack. */
  baseUrl: string
  /** Path of the engine. */
  engine: string
  env?: NodeJS.ProcessEnv
  repository?: string
  site?: URL
  onProgress?: OnProgress
  signal?: AbortSignal
}): Promise<{ home: string; provider: Provider; reason: string }> {
  const { root, baseUrl, engine, env = process.env, repository = checkout } = options
  const { site = pulumiSite, onProgress = () => {}, signal } = options
  const choice = parseChoice(options.choice)
  // A file backend does not make its own directory, and only its owner may read what is in it.
  await mkdir(join(root, "state"), { recursive: true, mode: 0o700 })

  if (choice === "stand-in") return standIn("ACCOUNTS_PROVIDER asks for it")
  try {
    const home = await makeHome("official")
    const onDownload = () => onProgress({ phase: "provider" })
    const reason = await provideOfficial({
      home,
      engine,
      env,
      site,
      onDownload,
      ...(signal && { signal }),
    })
    return { home, provider: "official", reason }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof EngineInterrupted) throw cause
    const reason = `the official plugin cannot be had: ${reasonOf(cause)}`
    if (choice === undefined && isLoopback(baseUrl)) return standIn(reason)
    throw new ProviderUnavailable(
      `The Cloudflare provider is missing: ${reason}.\nConnect to the internet, or install it where there is one: pulumi plugin install resource cloudflare ${providerVersion}` +
        (isLoopback(baseUrl)
          ? `\nFor this local stack the stand-in does: ACCOUNTS_PROVIDER=stand-in`
          : ""),
      { cause },
    )
  } finally {
    onProgress({ phase: "done" })
  }

  async function standIn(reason: string) {
    if (!isLoopback(baseUrl)) {
      throw new ProviderUnavailable(
        `The stand-in provider talks to this machine only and the API is ${baseUrl}. Leave ACCOUNTS_PROVIDER out, or set it to official.`,
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
  throw new ProviderUnavailable(
    `ACCOUNTS_PROVIDER is ${JSON.stringify(choice)}; it may be official, stand-in or unset.`,
  )
}
