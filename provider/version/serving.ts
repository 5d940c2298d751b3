import * as z from "zod"

import type { Api } from "../api.ts"
import type { Properties } from "../protocol/resource.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import { readBindings } from "./binding.ts"
import { bindingsIn } from "./inputs.ts"
import { type FoundVersion, unlessAbsent } from "./uploads.ts"

/** Outputs in state. */
export const Recorded = z.object({
  accountId: z.string(),
  scriptName: z.string(),
  /** The version that this resource uploaded. */
  versionId: z.string(),
  bundle: z.string(),
  /** Cloudflare's hash of its code. */
  etag: z.string(),
  /** Digest of its content. */
  tag: z.string(),
  /** The version that the inputs in state describe: another one if somebody else deployed it. */
  serving: z.string(),
})
export type Recorded = z.infer<typeof Recorded>

/**
 * The recorded version if it has traffic, otherwise the one that has most of it. Undefined when
 * nothing was ever deployed, or the Worker is gone.
 */
export async function findServing(recorded: Recorded, api: Api): Promise<string | undefined> {
  const { accountId, scriptName, versionId } = recorded
  const deployments = openDeployments({ api, accountId, scriptName })
  const live = await unlessAbsent(deployments.live())
  const split = withTraffic(live?.split ?? [])
  const [most] = split.toSorted((one, other) => other.percentage - one.percentage)
  const own = split.some((part) => part.versionId === versionId)
  return own ? versionId : most?.versionId
}

/** The inputs that would have made this version, as far as Cloudflare tells. */
export function inputsOf(options: {
  found: FoundVersion
  recorded: Recorded
  known: Properties
}): Properties {
  const { found, recorded, known } = options
  const { bindings, script_runtime: runtime } = found.resources
  return {
    accountId: recorded.accountId,
    scriptName: recorded.scriptName,
    bundle: bundleOf(found, recorded),
    compatibilityDate: runtime.compatibility_date,
    compatibilityFlags: runtime.compatibility_flags,
    bindings: readBindings(bindings, bindingsIn(known)),
    // Cloudflare does not tell these of a version.
    ...("placement" in known && { placement: known["placement"] }),
    ...("cpuMs" in known && { cpuMs: known["cpuMs"] }),
  }
}

export function messageOfBundle(sha256: string): string {
  return `bundle ${sha256}`
}

function bundleOf({ annotations, metadata, resources }: FoundVersion, recorded: Recorded): string {
  // A secret set by hand makes another version of the same code.
  if (resources.script.etag === recorded.etag) return recorded.bundle
  const [, sha256] = /^bundle ([0-9a-f]{64})$/.exec(annotations["workers/message"] ?? "") ?? []
  return sha256 ?? `not built here: uploaded by ${metadata.source}`
}
