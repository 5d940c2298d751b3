import { RunnableBinding, bindingKinds, databaseIdOf, missingDatabaseId } from "./binding-kinds.ts"
import { assetRouter, staticAssets } from "./miniflare/asset-binding.ts"
import type { Env } from "./miniflare/miniflare.ts"
import type { Binding, VersionSpec } from "./plane.ts"
import { ScriptStartError } from "./plane.ts"
import type { StorageAddress } from "./storage/storage-binding.ts"
import { remoteStorage } from "./storage/storage-binding.ts"

/** A version's bindings for Miniflare. @throws ScriptStartError naming a binding that can't run */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  const env = Object.fromEntries(
    bindings.map((declared) => {
      const binding = parseBinding(declared)
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

function parseBinding(declared: Binding): RunnableBinding {
  const { name, type } = declared
  if (!Object.hasOwn(bindingKinds, type)) {
    throw new ScriptStartError(
      `binding ${name} of type ${type} is not supported by the local Cloudflare`,
    )
  }
  const { data, error } = RunnableBinding.safeParse(declared)
  if (data !== undefined) return data
  const issues = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
  throw new ScriptStartError(`binding ${name} of type ${type} is invalid: ${issues.join("; ")}`)
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
    const databaseId = databaseIdOf(binding)
    if (databaseId === undefined) throw new ScriptStartError(missingDatabaseId(binding.name))
    return remoteStorage({ type: "d1", id: databaseId }, storage)
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
