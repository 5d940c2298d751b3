import type { Control } from "../control.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { WorkerSettings } from "./worker-settings.ts"
import { findWorker } from "./worker.store.ts"

type Named = { name: string; settings: WorkerSettings }

/** Characters of a name under workers.dev; a preview URL puts nine more before it. */
const nameLimit = { alone: 63, withPreviews: 54 }
/** Of one Worker; Cloudflare's limits of tags in Workers for Platforms. */
const tagLimit = { count: 8, characters: 1024 }

/**
 * The errors that the OpenAPI document lists for `workers/workers`; their texts are assumed.
 * @throws ApiError 10016, 10203, 100102, 100103, 100132, 100134, 100308 or 100315
 */
export function checkWorker(control: Pick<Control, "state">, worker: Named) {
  const { name, settings } = worker
  const { subdomain, tags, observability } = settings
  checkName(name)
  requireTailConsumers(control, worker)
  if (subdomain.previews_enabled && name.length > nameLimit.withPreviews) {
    const message = `Worker names with previews enabled cannot exceed ${nameLimit.withPreviews} characters.`
    throw new ApiError(400, code.longPreviewName, message)
  }
  checkTags(tags)
  const { head_sampling_rate, logs, traces } = observability
  for (const rate of [head_sampling_rate, logs.head_sampling_rate, traces.head_sampling_rate]) {
    if (rate === null || (rate >= 0 && rate <= 1)) continue
    const message = "Observability sampling rates must be between 0 and 1 inclusive."
    throw new ApiError(400, code.badSamplingRate, message)
  }
}

/** The name must be a DNS label, because it becomes one under workers.dev. */
export function checkName(name: string) {
  if (name.length > nameLimit.alone) {
    const message = `Worker names cannot exceed ${nameLimit.alone} characters.`
    throw new ApiError(400, code.longName, message)
  }
  if (/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(name)) return
  const message = `Worker name '${name}' is invalid: use a-z, 0-9, _ and inner -.`
  throw new ApiError(400, code.badName, message)
}

function checkTags(tags: string[]) {
  const long = tags.find((tag) => tag.length > tagLimit.characters)
  if (long !== undefined) {
    const message = `Tags cannot exceed ${tagLimit.characters} characters: ${long.slice(0, 40)}…`
    throw new ApiError(400, code.longTag, message)
  }
  const odd = tags.find((tag) => /[,&]/.test(tag))
  if (odd !== undefined) {
    throw new ApiError(400, code.badTag, `Tags cannot contain the characters , and &: ${odd}`)
  }
  if (tags.length <= tagLimit.count) return
  const message = `A Worker cannot have more than ${tagLimit.count} tags; remove a tag.`
  throw new ApiError(403, code.manyTags, message)
}

/**
 * The text is Cloudflare's, for `script-settings` (workers-sdk#8275); that every route refuses is assumed. A
 * Worker may be its own consumer (workers-sdk#3367).
 */
export function requireTailConsumers({ state }: Pick<Control, "state">, worker: Named) {
  const consumers = worker.settings.tail_consumers.map(({ name, service }) => name ?? service ?? "")
  if (consumers.every((name) => name === worker.name || findWorker(state, name))) return
  const message = "Tail Worker does not exist on this account. Check the Worker name and try again."
  throw new ApiError(400, code.noTailWorker, message)
}
