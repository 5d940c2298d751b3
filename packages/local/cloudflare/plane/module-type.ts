import type { ModuleType } from "./miniflare/miniflare.ts"
import { type Module, ScriptStartError } from "./plane.ts"

/** Miniflare's module type for a MIME type. @throws ScriptStartError for an unsupported one */
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
