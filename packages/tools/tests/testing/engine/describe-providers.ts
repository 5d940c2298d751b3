import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { describe } from "vitest"

import { findEngine } from "../../../cli/engine/engine.ts"
import { preparePulumiHome } from "../../../cli/engine/pulumi-home.ts"

export type Provider = "official" | "stand-in"

/** Runs a suite with each Cloudflare provider, or with the one in ACCOUNTS_PROVIDER. */
export async function describeProviders(suite: (provider: Provider) => void): Promise<void> {
  const chosen = process.env["ACCOUNTS_PROVIDER"]
  for (const provider of ["stand-in", "official"] as const) {
    if (chosen && provider !== chosen) continue
    const reason = provider === "official" ? await whyUnavailable() : undefined
    const title = `[${provider} provider]${reason === undefined ? "" : ` skipped: ${reason}`}`
    // oxlint-disable-next-line vitest/valid-title -- it is a string
    describe.skipIf(reason !== undefined)(title, () => {
      suite(provider)
    })
  }
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
