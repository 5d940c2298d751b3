import { RunnableBinding, databaseIdOf, shortcomingOf } from "./binding-kinds.ts"
import type { Env } from "./miniflare/miniflare.ts"
import { unavailable } from "./miniflare/unavailable-binding.ts"
import type { VersionSpec } from "./plane.ts"
import { remoteStorage, type StorageAddress } from "./storage/storage-binding.ts"

/** A version's bindings for Miniflare. */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  return Object.fromEntries(
    bindings.map((declared) => {
      // The API has judged what an upload declares.
      const { data } = RunnableBinding.safeParse(declared)
      const value = data && toMiniflare(data, version, storage)
      return [declared.name, value ?? unavailable(shortcomingOf(declared) ?? declared.name)]
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
