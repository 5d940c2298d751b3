import * as z from "zod"

import { unavailable } from "./miniflare/miniflare-plugin.ts"
import type { Env } from "./miniflare/miniflare.ts"
import type { VersionSpec } from "./plane.ts"
import { type StorageAddress, remoteStorage } from "./storage/storage-binding.ts"

export const BindingName = z
  .string()
  .regex(/^[A-Za-z_$][\w$]*$/, "A binding's name is a JavaScript identifier")
const name = BindingName

/**
 * The kinds of binding that run here, in Cloudflare's JSON (from `kv_namespace` on as in the types of npm `cloudflare`
 * 7.3.0, workers/beta/workers/versions). The API accepts all others unchecked.
 */
export const bindingKinds = {
  /** Clients send the id under either key: see `databaseIdOf`. */
  d1: z.strictObject({
    type: z.literal("d1"),
    name,
    id: z.string().optional(),
    database_id: z.string().optional(),
    internal_env: z.string().optional(),
  }),
  kv_namespace: z.strictObject({
    type: z.literal("kv_namespace"),
    name,
    namespace_id: z.string().min(1),
  }),
  json: z.strictObject({ type: z.literal("json"), name, json: z.json() }),
  plain_text: z.strictObject({ type: z.literal("plain_text"), name, text: z.string() }),
  queue: z.strictObject({
    type: z.literal("queue"),
    name,
    queue_name: z.string().min(1),
    delivery_delay: z.number().optional(),
  }),
  r2_bucket: z.strictObject({
    type: z.literal("r2_bucket"),
    name,
    bucket_name: z.string().min(1),
    jurisdiction: z.string().optional(),
  }),
  ratelimit: z.strictObject({
    type: z.literal("ratelimit"),
    name,
    namespace_id: z.string().min(1),
    simple: z.strictObject({
      limit: z.number().int().positive(),
      /** In seconds. */
      period: z.union([z.literal(10), z.literal(60)]),
      mitigation_timeout: z.number().optional(),
    }),
  }),
  secret_text: z.strictObject({ type: z.literal("secret_text"), name, text: z.string() }),
  version_metadata: z.strictObject({ type: z.literal("version_metadata"), name }),
}

const RunnableBinding = z.discriminatedUnion("type", [
  bindingKinds.d1,
  bindingKinds.json,
  bindingKinds.kv_namespace,
  bindingKinds.plain_text,
  bindingKinds.queue,
  bindingKinds.r2_bucket,
  bindingKinds.ratelimit,
  bindingKinds.secret_text,
  bindingKinds.version_metadata,
])
type RunnableBinding = z.infer<typeof RunnableBinding>

/** Explains why a Worker cannot have a binding here; undefined if it can. */
export function unsupportedReason({ type, name: binding }: { type: string; name: string }) {
  if (type === "queue") return `${binding} (queue) takes messages, but has no consumer here`
  if (type in bindingKinds) return undefined
  return `${binding} (${type}) does not run here: every call to it throws an error`
}

/** @returns undefined if a D1 binding has no id under either key */
export function databaseIdOf(binding: Record<string, unknown>): string | undefined {
  const id = binding["database_id"] ?? binding["id"]
  return typeof id === "string" && id !== "" ? id : undefined
}

/** Converts a version's bindings for Miniflare. */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  return Object.fromEntries(
    bindings.map((declared) => {
      // The API has already validated the bindings of an upload.
      const { data } = RunnableBinding.safeParse(declared)
      const value = data && toMiniflare(data, version, storage)
      return [declared.name, value ?? unavailable(unsupportedReason(declared) ?? declared.name)]
    }),
  )
}

function toMiniflare(
  binding: RunnableBinding,
  { id, tag, createdOn }: Omit<VersionSpec, "bindings">,
  storage: StorageAddress,
): Env[string] {
  switch (binding.type) {
    case "json":
      return { type: "json", value: binding.json }
    case "version_metadata":
      return { type: "json", value: { id, tag, timestamp: createdOn } }
    case "d1":
      return remoteStorage({ type: "d1", id: databaseIdOf(binding) ?? "" }, storage)
    case "kv_namespace":
      return remoteStorage({ type: "kv", id: binding.namespace_id }, storage)
    case "r2_bucket":
      return remoteStorage({ type: "r2", name: binding.bucket_name }, storage)
    case "queue":
      return { type: "queue", name: binding.queue_name }
    case "ratelimit": {
      const { limit, period } = binding.simple
      const namespace = binding.namespace_id
      return remoteStorage({ type: "rate-limit", namespace, simple: { limit, period } }, storage)
    }
    case "plain_text":
    case "secret_text":
      return { type: "text", value: binding.text }
    default:
      return binding satisfies never
  }
}
