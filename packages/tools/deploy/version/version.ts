import { unknownValue } from "@accounts-stack/pulumi-host/properties"

import type { Api } from "../api.ts"
import type { Context, Resource, State } from "../resource.ts"
import { readBundle } from "./bundle-store.ts"
import { diffContent, diffSecrets, expectKept, Inputs } from "./inputs.ts"
import { findServing, ignoredIn, messageOfBundle, readInputs, Recorded } from "./serving.ts"
import { openUploads } from "./uploads.ts"

/**
 * The content of a Worker: code, settings and bindings. Each change uploads another version, which
 * Release gives its traffic. The old ones stay until the Worker is deleted.
 */
export const version: Resource = {
  inputs: Inputs,
  refreshBeforeUpdate: true,

  diff({ olds, oldInputs, inputs }) {
    const replaced = ["accountId", "scriptName"].filter((key) => olds[key] !== inputs[key])
    if (replaced.length > 0) return Object.fromEntries(replaced.map((key) => [key, "replace"]))
    expectKept(oldInputs, inputs)
    const changes = diffContent(oldInputs, inputs)
    const own = olds["serving"] === olds["versionId"]
    if (own || Object.keys(changes).length > 0) return changes
    // Somebody else's version that looks the same: it may have other secrets.
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
    // Versions never change: one that serves as before has the content that state knows.
    const same = serving === recorded.versionId && serving === recorded.serving
    if (same && live !== undefined) return state
    // What serves is there; of what was never deployed, or whose Worker is gone, the first answer counts.
    const patience = live === undefined ? 0 : undefined
    const found = await openUploads({ api, ...recorded }).find(serving, patience)
    if (found === undefined || same) return found && state
    const inputs = await readInputs({ api, found, recorded, known: state.inputs })
    return { id: state.id, outputs: { ...recorded, serving }, inputs }
  },
}

async function upload(inputs: Inputs, { api, log, timeout }: Context): Promise<Recorded> {
  const { accountId, scriptName, bundle } = inputs
  const versions = openUploads({ api: api(), accountId, scriptName })
  const message = messageOfBundle(bundle)
  const patience = timeout && timeout * 1000
  const found = await versions.create({ ...inputs, modules: readBundle(bundle), message }, patience)
  const { id: versionId } = found
  for (const ignored of ignoredIn(found, inputs)) {
    log.warn(`Cloudflare did not take what version ${versionId} asks for: ${ignored}`)
  }
  return { accountId, scriptName, versionId, bundle, serving: versionId }
}

async function importVersion(id: string, api: Api): Promise<State | undefined> {
  const [accountId = "", scriptName = "", versionId = "", ...more] = id.split("/")
  if (versionId === "" || more.length > 0) {
    throw new Error("a Version is imported by <account id>/<name of the Worker>/<version id>")
  }
  const found = await openUploads({ api, accountId, scriptName }).find(versionId)
  if (found === undefined) return undefined
  const recorded = { accountId, scriptName, versionId, serving: versionId, bundle: "" }
  const inputs = await readInputs({ api, found, recorded, known: {} })
  return { id: scriptName, outputs: { ...recorded, bundle: String(inputs["bundle"]) }, inputs }
}
