import * as z from "zod"

import type { Api } from "../api.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import type { Properties } from "../resource.ts"
import { readBindings } from "./binding.ts"
import { bindingsIn } from "./inputs.ts"
import { type FoundVersion, openUploads } from "./uploads.ts"

/** Outputs in state. */
export const Recorded = z.object({
  accountId: z.string(),
  scriptName: z.string(),
  /** The version that this resource uploaded. */
  versionId: z.string(),
  bundle: z.string(),
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
  const live = await openDeployments({ api, accountId, scriptName }).live()
  const split = withTraffic(live?.split ?? [])
  const [most] = split.toSorted((one, other) => other.percentage - one.percentage)
  const own = split.some((part) => part.versionId === versionId)
  return own ? versionId : most?.versionId
}

/** The inputs that would have made this version, as far as Cloudflare tells. */
export async function readInputs(options: {
  api: Api
  found: FoundVersion
  recorded: Recorded
  known: Properties
}): Promise<Properties> {
  const { api, found, recorded, known } = options
  const { accountId, scriptName } = recorded
  const { placement, limits } = found
  const sha256 = await openUploads({ api, accountId, scriptName }).bundleOf(found.id)
  const own =
    sha256 === recorded.bundle || found.annotations["workers/message"] === messageOfBundle(sha256)
  return {
    accountId,
    scriptName,
    bundle: own ? sha256 : `not built here: uploaded by ${found.source}`,
    compatibilityDate: found.compatibility_date,
    compatibilityFlags: found.compatibility_flags,
    bindings: readBindings(found.bindings, bindingsIn(known)),
    ...(placement && { placement: placement.mode ?? "targeted" }),
    ...(limits.cpu_ms !== undefined && { cpuMs: limits.cpu_ms }),
  }
}

/** What Cloudflare made otherwise of a version than it was asked to (terraform-provider-cloudflare#6404). */
export function ignoredIn(
  { limits, placement }: FoundVersion,
  wanted: { cpuMs?: number | undefined; placement?: string | undefined },
): string[] {
  const pairs = [
    { key: "cpuMs", asked: wanted.cpuMs, has: limits.cpu_ms },
    { key: "placement", asked: wanted.placement, has: placement?.mode },
  ]
  return pairs
    .filter(({ asked, has }) => asked !== undefined && asked !== has)
    .map(({ key, asked, has }) => `${key} is ${has ?? "not set"} instead of ${asked}`)
}

export function messageOfBundle(sha256: string): string {
  return `bundle ${sha256}`
}
