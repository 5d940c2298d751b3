import { RunnableBinding, databaseIdOf } from "./binding-kinds.ts"
import { assetRouter, staticAssets } from "./miniflare/asset-binding.ts"
import type { Env } from "./miniflare/miniflare.ts"
import { ScriptStartError, type VersionSpec } from "./plane.ts"
import { remoteStorage, type StorageAddress } from "./storage/storage-binding.ts"

/** A version's bindings for Miniflare. @throws ScriptStartError naming a binding that can't run */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  const env = Object.fromEntries(
    bindings.map((declared) => {
      // The API has judged what an upload declares.
      const binding = RunnableBinding.parse(declared)
      return [binding.name, toMiniflare(binding, version, storage)]
    }),
  )
  if (version.assets === undefined || bindings.some(({ type }) => type === "assets")) return env
  const assets = staticAssets(version.assets, { hasWorker: hasWorker(version), bound: false })
  return { ...env, [assetRouter]: assets }
}

function hasWorker({ modules }: Pick<VersionSpec, "modules">): boolean {
  return modules.length > 0
}

function toMiniflare(
  binding: RunnableBinding,
  version: Omit<VersionSpec, "bindings">,
  storage: StorageAddress,
): Env[string] {
  const { id, tag, createdOn, assets } = version
  if (binding.type === "json") return { type: "json", value: binding.json }
  if (binding.type === "version_metadata") {
    return { type: "json", value: { id, tag, timestamp: createdOn } }
  }
  if (binding.type === "assets") {
    if (assets === undefined) throw new ScriptStartError(missingAssets(binding.name))
    return staticAssets(assets, { hasWorker: hasWorker(version), bound: true })
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

function missingAssets(binding: string): string {
  return `binding ${binding} of type assets must have static assets uploaded with this version`
}
