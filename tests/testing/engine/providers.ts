import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { findEngine } from "../../../cli/engine/engine.ts"
import { preparePulumiHome } from "../../../cli/engine/pulumi-home.ts"

export type Candidate = {
  provider: "official" | "stand-in"
  /** Name of its suite; that of an unavailable one carries the reason. */
  title: string
}

/**
 * The Cloudflare providers to judge by one suite, both or the one that ACCOUNTS_PROVIDER names:
 * first those that can be had here, then the others.
 */
export async function candidates(): Promise<[Candidate[], Candidate[]]> {
  const chosen = process.env["ACCOUNTS_PROVIDER"]
  const providers = (["stand-in", "official"] as const).filter((name) => !chosen || name === chosen)
  const reason = providers.includes("official") ? await refusal() : undefined
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

/** Why Pulumi's own provider cannot be tried here; undefined where it can. */
async function refusal(): Promise<string | undefined> {
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
