import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import type { Api } from "../api.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import type { Context, Properties, Resource, State } from "../resource.ts"
import { readBundle } from "./bundle-store.ts"
import { Inputs, bindingsIn, diffContent, diffSecrets, expectKept, readBindings } from "./inputs.ts"
import { type FoundVersion, openUploads } from "./uploads.ts"

/**
 * The content of a Worker: code, settings and bindings. Each change uploads a new version, and Release
 * gives it traffic. Old versions stay until the Worker is deleted.
 */
export const version: Resource = {
  inputs: Inputs,
  refreshBeforeUpdate: true,

  diff({ olds, oldInputs, inputs }) {
    const replaced = ["accountId", "scriptName"].filter((key) => olds[key] !== inputs[key])
    if (replaced.length > 0) return Object.fromEntries(replaced.map((key) => [key, "replace"]))
    expectKept(oldInputs, inputs)
    const changes = diffContent(oldInputs, inputs)
    const servesOwnVersion = olds["serving"] === olds["versionId"]
    if (servesOwnVersion || Object.keys(changes).length > 0) return changes
    // A version from elsewhere that looks the same may have other secrets.
    return diffSecrets(inputs)
  },

  async preview({ inputs: { accountId, scriptName, bundle } }) {
    return { accountId, scriptName, bundle, versionId: unknownValue, serving: unknownValue }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    return { id: parsed.scriptName, outputs: await upload(parsed, context) }
  },

  async update({ inputs }, context) {
    return upload(Inputs.parse(inputs), context)
  },

  async read(state, context) {
    const { data: recorded } = Recorded.safeParse(state.outputs)
    const api = context.api()
    if (recorded === undefined) return importVersion(state.id, api)
    const live = await findServing(recorded, api)
    const serving = live ?? recorded.versionId
    // Versions never change, so a version that is still live has the content in state.
    const isUnchanged = serving === recorded.versionId && serving === recorded.serving
    if (isUnchanged && live !== undefined) return state
    // A live version exists, so the search for it may retry. Any other version, or its Worker, may be gone.
    const patience = live === undefined ? 0 : undefined
    const liveVersion = await openUploads({ api, ...recorded }).find(serving, patience)
    if (liveVersion === undefined || isUnchanged) return liveVersion && state
    const inputs = await readInputs({ api, liveVersion, recorded, stateInputs: state.inputs })
    return { id: state.id, outputs: { ...recorded, serving }, inputs }
  },
}

async function upload(inputs: Inputs, { api, log, timeout }: Context): Promise<Recorded> {
  const { accountId, scriptName, bundle } = inputs
  const versions = openUploads({ api: api(), accountId, scriptName })
  const message = messageOfBundle(bundle)
  const patience = timeout && timeout * 1000
  const created = await versions.create(
    { ...inputs, modules: readBundle(bundle), message },
    patience,
  )
  const { id: versionId } = created
  for (const ignored of ignoredIn(created, inputs)) {
    log.warn(`Cloudflare did not take what version ${versionId} asks for: ${ignored}`)
  }
  return { accountId, scriptName, versionId, bundle, serving: versionId }
}

async function importVersion(id: string, api: Api): Promise<State | undefined> {
  const [accountId = "", scriptName = "", versionId = "", ...extraParts] = id.split("/")
  if (versionId === "" || extraParts.length > 0) {
    throw new Error("a Version is imported by <account id>/<name of the Worker>/<version id>")
  }
  const imported = await openUploads({ api, accountId, scriptName }).find(versionId)
  if (imported === undefined) return undefined
  const recorded = { accountId, scriptName, versionId, serving: versionId, bundle: "" }
  const inputs = await readInputs({ api, liveVersion: imported, recorded, stateInputs: {} })
  return { id: scriptName, outputs: { ...recorded, bundle: String(inputs["bundle"]) }, inputs }
}

/** Outputs in state. */
const Recorded = z.object({
  accountId: z.string(),
  scriptName: z.string(),
  /** The version that this resource uploaded. */
  versionId: z.string(),
  bundle: z.string(),
  /** The version that the inputs in state describe; differs from `versionId` after a deployment elsewhere. */
  serving: z.string(),
})
type Recorded = z.infer<typeof Recorded>

/**
 * Returns the recorded version if it has traffic, otherwise the version with the most traffic. Undefined
 * when nothing was ever deployed, or the Worker is gone.
 */
async function findServing(recorded: Recorded, api: Api): Promise<string | undefined> {
  const { accountId, scriptName, versionId } = recorded
  const live = await openDeployments({ api, accountId, scriptName }).live()
  const split = withTraffic(live?.split ?? [])
  const [most] = split.toSorted((a, b) => b.percentage - a.percentage)
  const isServing = split.some((part) => part.versionId === versionId)
  return isServing ? versionId : most?.versionId
}

/** Reconstructs the inputs of a version from Cloudflare's data. */
async function readInputs(options: {
  api: Api
  liveVersion: FoundVersion
  recorded: Recorded
  stateInputs: Properties
}): Promise<Properties> {
  const { api, liveVersion, recorded, stateInputs } = options
  const { accountId, scriptName } = recorded
  const { placement, limits } = liveVersion
  const sha256 = await openUploads({ api, accountId, scriptName }).bundleOf(liveVersion.id)
  const isOwnBundle =
    sha256 === recorded.bundle ||
    liveVersion.annotations["workers/message"] === messageOfBundle(sha256)
  return {
    accountId,
    scriptName,
    bundle: isOwnBundle ? sha256 : `not built here: uploaded by ${liveVersion.source}`,
    compatibilityDate: liveVersion.compatibility_date,
    compatibilityFlags: liveVersion.compatibility_flags,
    bindings: readBindings(liveVersion.bindings, bindingsIn(stateInputs)),
    ...(placement && { placement: placement.mode ?? "targeted" }),
    ...(limits.cpu_ms !== undefined && { cpuMs: limits.cpu_ms }),
  }
}

/** Lists settings of a version that Cloudflare ignored (terraform-provider-cloudflare#6404). */
function ignoredIn(
  { limits, placement }: FoundVersion,
  requestedSettings: { cpuMs?: number | undefined; placement?: string | undefined },
): string[] {
  const pairs = [
    { key: "cpuMs", asked: requestedSettings.cpuMs, has: limits.cpu_ms },
    { key: "placement", asked: requestedSettings.placement, has: placement?.mode },
  ]
  return pairs
    .filter(({ asked, has }) => asked !== undefined && asked !== has)
    .map(({ key, asked, has }) => `${key} is ${has ?? "not set"} instead of ${asked}`)
}

function messageOfBundle(sha256: string): string {
  return `bundle ${sha256}`
}
