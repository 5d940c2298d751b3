import * as z from "zod"

import { assetRouter, staticAssets } from "./asset-binding.ts"
import type { Env, ModuleType } from "./miniflare.ts"
import type { Module, VersionSpec } from "./plane.ts"
import { ScriptStartError } from "./plane.ts"
import type { StorageAddress, StorageBinding } from "./storage-binding.ts"
import { remoteStorage } from "./storage-binding.ts"

/** What a version finds in its `env`. @throws ScriptStartError naming the binding that it can't have. */
export function toEnv({ bindings, ...version }: VersionSpec, storage: StorageAddress): Env {
  const env = Object.fromEntries(
    bindings.map((declared) => {
      const { data: binding } = Supported.safeParse(declared)
      if (binding === undefined) throw new ScriptStartError(refusal(declared))
      return [binding.name, toMiniflare(binding, version, storage)]
    }),
  )
  if (version.assets === undefined || bindings.some(({ type }) => type === "assets")) return env
  return { ...env, [assetRouter]: staticAssets(version.assets, { ...has(version), bound: false }) }
}

function has({ modules }: Pick<VersionSpec, "modules">) {
  return { hasWorker: modules.length > 0 }
}

/** Cloudflare's clients write a database's id in either of two keys. */
const D1 = z
  .object({
    type: z.literal("d1"),
    name: z.string(),
    id: z.string().optional(),
    database_id: z.string().optional(),
  })
  .transform(({ database_id, id, ...rest }) => ({ ...rest, id: database_id ?? id ?? "" }))
  .refine(({ id }) => id !== "")

const Supported = z.union([
  D1,
  z.object({ type: z.literal("plain_text"), name: z.string(), text: z.string() }),
  z.object({ type: z.literal("secret_text"), name: z.string(), text: z.string() }),
  z.object({ type: z.literal("json"), name: z.string(), json: z.json() }),
  z.object({ type: z.literal("version_metadata"), name: z.string() }),
  z.object({ type: z.literal("assets"), name: z.string() }),
  z.object({
    type: z.literal("kv_namespace"),
    name: z.string(),
    // It is the name of a directory.
    namespace_id: z.string().regex(/^[\w-]+$/),
  }),
  z.object({
    type: z.literal("ratelimit"),
    name: z.string(),
    namespace_id: z.string().min(1),
    simple: z.object({ limit: z.number(), period: z.union([z.literal(10), z.literal(60)]) }),
  }),
])
type Supported = z.infer<typeof Supported>

function toMiniflare(
  binding: Supported,
  { id, tag, createdOn, assets, modules }: Omit<VersionSpec, "bindings">,
  storage: StorageAddress,
): Env[string] {
  const remote = (of: StorageBinding) => remoteStorage(of, storage)
  if (binding.type === "json") return { type: "json", value: binding.json }
  if (binding.type === "version_metadata") {
    return { type: "json", value: { id, tag, timestamp: createdOn } }
  }
  if (binding.type === "assets") {
    if (assets === undefined) throw new ScriptStartError(refusal(binding))
    return staticAssets(assets, { ...has({ modules }), bound: true })
  }
  if (binding.type === "d1") return remote({ type: "d1", id: binding.id })
  if (binding.type === "kv_namespace") return remote({ type: "kv", id: binding.namespace_id })
  if (binding.type === "ratelimit") {
    const { namespace_id: namespace, simple } = binding
    return remote({ type: "rate-limit", namespace, simple })
  }
  return { type: "text", value: binding.text }
}

const needs: Record<Supported["type"], string> = {
  d1: "a valid `id` specified",
  plain_text: "a `text`",
  secret_text: "a `text`",
  json: "a `json`",
  assets: "static assets uploaded with this version",
  version_metadata: "a name",
  kv_namespace: "a `namespace_id` of letters, digits, `-` and `_`",
  ratelimit: "a `namespace_id` and `simple` with a `limit` and a `period` of 10 or 60",
}

function refusal({ name, type }: { name: string; type: string }): string {
  const need = Object.entries(needs).find(([known]) => known === type)?.[1]
  return need === undefined
    ? `binding ${name} of type ${type} is not supported by the local Cloudflare`
    : `binding ${name} of type ${type} must have ${need}`
}

/** MIME types of module uploads, in Miniflare's words. @throws ScriptStartError for any other */
export function moduleType({ name, contentType }: Module): ModuleType {
  const type = types[contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""]
  if (type === undefined) {
    throw new ScriptStartError(`Module ${name} has the unsupported content type ${contentType}`)
  }
  return type
}

const types: Partial<Record<string, ModuleType>> = {
  "application/javascript+module": "esm",
  "text/javascript+module": "esm",
  "application/javascript": "cjs",
  "text/javascript": "cjs",
  "application/json": "json",
  "application/octet-stream": "data",
  "application/source-map": "sourcemap",
  "application/wasm": "wasm",
  "text/plain": "text",
}
