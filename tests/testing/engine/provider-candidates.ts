import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { findEngine } from "../../../cli/engine/engine.ts"
import { preparePulumiHome } from "../../../cli/engine/pulumi-home.ts"

export type ProviderCandidate = {
  provider: "official" | "stand-in"
  /** Name of its suite; contains the reason if the provider is unavailable. */
  title: string
}

/**
 * The Cloudflare providers that a suite runs with: both, or the one in ACCOUNTS_PROVIDER.
 * @returns the providers available here, then the unavailable ones
 */
export async function findProviderCandidates(): Promise<
  [ProviderCandidate[], ProviderCandidate[]]
> {
  const chosen = process.env["ACCOUNTS_PROVIDER"]
  const providers = (["stand-in", "official"] as const).filter((name) => !chosen || name === chosen)
  const reason = providers.includes("official") ? await whyUnavailable() : undefined
  const available = providers.filter((name) => name === "stand-in" || !reason)
  const unavailable = providers.filter((name) => !available.includes(name))
  return [
    available.map((provider) => ({ provider, title: `[${provider} provider]` })),
    unavailable.map((provider) => ({
      provider,
      title: `[${provider} provider] skipped: ${reason}`,
    })),
  ]
}

/** The reason why Pulumi's own provider cannot run here; undefined if it can. */
async function whyUnavailable(): Promise<string | undefined> {
  const root = mkdtempSync(join(tmpdir(), "accounts-providers-"))
  try {
    const { command: engine } = await findEngine({})
    const baseUrl = "http://127.0.0.1:8790/client/v4"
    await preparePulumiHome({ root, choice: "official", baseUrl, engine })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
