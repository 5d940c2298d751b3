import { RunnableBinding, databaseIdOf } from "./binding-kinds.ts"
import type { Env } from "./miniflare/miniflare.ts"
import type { VersionSpec } from "./plane.ts"
import { remoteStorage, type StorageAddress } from "./storage/storage-binding.ts"

/** A version's bindings for Miniflare. */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  return Object.fromEntries(
    bindings.map((declared) => {
      // The API has judged what an upload declares.
      const binding = RunnableBinding.parse(declared)
      return [binding.name, toMiniflare(binding, version, storage)]
    }),
  )
}

function toMiniflare(
  binding: RunnableBinding,
  version: Omit<VersionSpec, "bindings">,
  storage: StorageAddress,
): Env[string] {
  const { id, tag, createdOn } = version
  if (binding.type === "json") return { type: "json", value: binding.json }
  if (binding.type === "version_metadata") {
    return { type: "json", value: { id, tag, timestamp: createdOn } }
  }
  if (binding.type === "d1") {
    return remoteStorage({ type: "d1", id: databaseIdOf(binding) ?? "" }, storage)
  }
  if (binding.type === "ratelimit") {
    const { limit, period } = binding.simple
    const namespace = binding.namespace_id
    return remoteStorage({ type: "rate-limit", namespace, simple: { limit, period } }, storage)
  }
  return { type: "text", value: binding.text }
}
