import { randomBytes } from "node:crypto"

import * as z from "zod"

import { type KeyedLock, type State, jsonColumn } from "../state/state.ts"
import { ApiError, code, parse } from "./envelope.ts"

const Rate = z.number().nullable().default(1)

/** All fields have defaults, because Cloudflare returns every field and providers compare the whole object. */
const Observability = z.strictObject({
  enabled: z.boolean().default(false),
  head_sampling_rate: Rate,
  logs: z
    .strictObject({
      enabled: z.boolean().default(false),
      head_sampling_rate: Rate,
      invocation_logs: z.boolean().default(true),
      persist: z.boolean().default(true),
      destinations: z.array(z.string()).default([]),
    })
    .prefault({}),
  traces: z
    .strictObject({
      enabled: z.boolean().default(false),
      head_sampling_rate: Rate,
      persist: z.boolean().default(true),
      destinations: z.array(z.string()).default([]),
      propagation_policy: z.enum(["authenticated", "accept"]).nullish(),
    })
    .prefault({}),
})

const Subdomain = z.strictObject({
  enabled: z.boolean().default(false),
  previews_enabled: z.boolean().default(false),
})

const TailConsumer = z.strictObject({
  name: z.string().optional(),
  service: z.string().optional(),
  environment: z.string().optional(),
  namespace: z.string().optional(),
})

/** Settings of a Worker that are not part of a version. */
export const WorkerSettings = z.strictObject({
  logpush: z.boolean().default(false),
  observability: Observability.prefault({}),
  subdomain: Subdomain.prefault({}),
  tags: z.array(z.string()).default([]),
  tail_consumers: z.array(TailConsumer).default([]),
})
export type WorkerSettings = z.infer<typeof WorkerSettings>

/** Returns the share of requests that are logged, from 0 to 1. */
export function samplingOf({ observability }: WorkerSettings = defaultSettings): number {
  const { enabled, head_sampling_rate: headSamplingRate, logs } = observability
  if (!enabled || !logs.enabled || !logs.invocation_logs || !logs.persist) return 0
  return logs.head_sampling_rate ?? headSamplingRate ?? 1
}

export const defaultSettings = WorkerSettings.parse({})

/** A JSON merge patch: objects are merged, other values replaced. */
export const SettingsPatch = z.strictObject({
  logpush: z.boolean().nullish(),
  observability: z.record(z.string(), z.json()).nullish(),
  subdomain: z.record(z.string(), z.json()).nullish(),
  tags: z.array(z.string()).nullish(),
  tail_consumers: z.array(z.record(z.string(), z.json())).nullish(),
})

export function patchSettings(
  settings: WorkerSettings,
  patch: z.infer<typeof SettingsPatch>,
): WorkerSettings {
  return parse(WorkerSettings, mergePatch(settings, patch))
}

/** RFC 7396. `null` removes a key, so that its default applies. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch ?? undefined
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) merged[key] = mergePatch(merged[key], value)
  return merged
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const Worker = z.object({
  /** 32 hexadecimal digits; older routes call it the script's tag. */
  id: z.string(),
  name: z.string(),
  created_on: z.string(),
  updated_on: z.string(),
  settings: jsonColumn(WorkerSettings),
})
export type Worker = z.infer<typeof Worker>

export function listWorkers(state: State): Worker[] {
  return state.list(Worker, "SELECT * FROM worker ORDER BY rowid")
}

/** The provider refers to Workers by id, wrangler by name; Cloudflare accepts both. */
export function findWorker(state: State, idOrName: string): Worker | undefined {
  return state.find(Worker, "SELECT * FROM worker WHERE id = ?1 OR name = ?1", idOrName)
}

export function requireWorker(state: State, idOrName: string): Worker {
  const worker = findWorker(state, idOrName)
  if (worker !== undefined) return worker
  throw noWorker()
}

export function noWorker(): ApiError {
  return new ApiError(404, code.noWorker, "This Worker does not exist on your account.")
}

export function insertWorker(state: State, worker: Worker) {
  state.insert("worker", worker)
}

export function updateWorker(
  state: State,
  { id, name, settings }: Omit<Worker, "created_on" | "updated_on">,
) {
  state.run(
    "UPDATE worker SET name = ?, settings = ?, updated_on = ? WHERE id = ?",
    name,
    JSON.stringify(settings),
    new Date().toISOString(),
    id,
  )
}

/** Cascades to versions, deployments, domains, routes and schedules. */
export function deleteWorker(state: State, id: string) {
  state.run("DELETE FROM worker WHERE id = ?", id)
}

export function newWorker(name: string, settings: WorkerSettings): Worker {
  const now = new Date().toISOString()
  return { id: randomBytes(16).toString("hex"), name, created_on: now, updated_on: now, settings }
}

/** Waits for earlier writes to the same Worker, then reads the Worker again and runs `work`. */
export async function withWorkerLock<T>(
  { state, withLock }: { state: State; withLock: KeyedLock },
  idOrName: string,
  work: (worker: Worker) => Promise<T>,
): Promise<T> {
  const { id } = requireWorker(state, idOrName)
  return withLock(`worker:${id}`, () => work(requireWorker(state, id)))
}

type Named = { name: string; settings: WorkerSettings }

/** Maximum length of a name. A preview URL adds nine characters to the DNS label, which allows 63. */
const nameLimit = { alone: 63, withPreviews: 54 }
/** Limits of one Worker, taken from Cloudflare's limits for tags in Workers for Platforms. */
const tagLimit = { count: 8, characters: 1024 }

/**
 * Checks a Worker for the errors that the OpenAPI document lists for `workers/workers`. Their texts are assumed.
 * @throws ApiError 10016, 10203, 100102, 100103, 100132, 100134, 100308 or 100315
 */
export function checkWorker(control: { state: State }, worker: Named) {
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
function checkName(name: string) {
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
 * Requires each tail consumer to exist or to be the Worker itself (workers-sdk#3367). The text is Cloudflare's for
 * `script-settings` (workers-sdk#8275). Assumed: the other routes check this too.
 */
function requireTailConsumers({ state }: { state: State }, worker: Named) {
  const consumers = worker.settings.tail_consumers.map(({ name, service }) => name ?? service ?? "")
  if (consumers.every((name) => name === worker.name || findWorker(state, name))) return
  const message = "Tail Worker does not exist on this account. Check the Worker name and try again."
  throw new ApiError(400, code.noTailWorker, message)
}
