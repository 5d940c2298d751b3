import type { Api } from "../api.ts"
import { type Context, type Resource, type State, unknownValue } from "../protocol/resource.ts"
import { readBundle } from "./bundle-store.ts"
import { contentTag } from "./content-tag.ts"
import { diffContent, diffSecrets, Inputs } from "./inputs.ts"
import { findServing, inputsOf, messageOfBundle, Recorded } from "./serving.ts"
import { openUploads, tagIn } from "./uploads.ts"

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
    const own = olds["serving"] === olds["versionId"]
    if (own && olds["tag"] === contentTag(inputs)) return {}
    const changes = diffContent(oldInputs, inputs)
    if (own || Object.keys(changes).length > 0) return changes
    // Somebody else's version that looks the same: it may have other secrets.
    return diffSecrets(inputs)
  },

  async preview({ inputs: { accountId, scriptName, bundle } }) {
    const unknown = ["versionId", "etag", "tag", "serving"].map((key) => [key, unknownValue])
    return { accountId, scriptName, bundle, ...Object.fromEntries(unknown) }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    return { id: parsed.scriptName, outputs: await upload(parsed, context) }
  },

  async update({ inputs }, context) {
    return upload(Inputs.parse(inputs), context)
  },

  async read(state, { api }) {
    const { data: recorded } = Recorded.safeParse(state.outputs)
    if (recorded === undefined) return importVersion(state.id, api())
    const live = await findServing(recorded, api())
    // Versions never change: one that serves as before has the content that state knows.
    if (live === recorded.versionId && recorded.serving === live) return state
    const serving = live ?? recorded.versionId
    const found = await openUploads({ api: api(), ...recorded }).find(serving)
    if (found === undefined) return undefined
    const inputs = inputsOf({ found, recorded, known: state.inputs })
    return { id: state.id, outputs: { ...recorded, serving }, inputs }
  },
}

async function upload(inputs: Inputs, { api, log }: Context): Promise<Recorded> {
  const { accountId, scriptName, bundle } = inputs
  const versions = openUploads({ api: api(), accountId, scriptName })
  const tag = contentTag(inputs)
  // Uploaded by a run that never got the answer, or by one whose version was rolled back.
  const before = await versions.newest(tag)
  if (before !== undefined) log.info(`version ${before} has the same content: not uploaded again`)
  const message = messageOfBundle(bundle)
  const create = () => versions.create({ ...inputs, modules: readBundle(bundle), tag, message })
  const versionId = before ?? (await create())
  const found = await versions.find(versionId)
  if (found === undefined) throw new Error(`version ${versionId} of ${scriptName} disappeared`)
  const { etag } = found.resources.script
  return { accountId, scriptName, versionId, bundle, etag, tag, serving: versionId }
}

async function importVersion(id: string, api: Api): Promise<State | undefined> {
  const [accountId = "", scriptName = "", versionId = "", ...more] = id.split("/")
  if (versionId === "" || more.length > 0) {
    throw new Error("a Version is imported by <account id>/<name of the Worker>/<version id>")
  }
  const found = await openUploads({ api, accountId, scriptName }).find(versionId)
  if (found === undefined) return undefined
  const { etag } = found.resources.script
  const tag = tagIn(found.annotations) ?? ""
  const versions = { versionId, serving: versionId }
  const recorded = { accountId, scriptName, ...versions, bundle: "", etag: "", tag }
  const inputs = inputsOf({ found, recorded, known: {} })
  return {
    id: scriptName,
    outputs: { ...recorded, bundle: String(inputs["bundle"]), etag },
    inputs,
  }
}
