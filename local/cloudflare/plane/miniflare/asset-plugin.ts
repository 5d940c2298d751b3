import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { ParsedWorkerOptions, Plugin, Service, Worker_Binding } from "miniflare"
import * as z from "zod"

import { StaticAssets, assetRouter } from "./asset-binding.ts"
import type { AssetRules } from "./asset-rules.ts"
import { PLUGINS } from "./miniflare-package.ts"

/**
 * Runs Cloudflare's own asset Workers, which Miniflare bundles. Miniflare reads a directory and
 * derives hashes from path and time; this plugin serves the uploaded files with the client's hashes
 * and types, so that an `ETag` survives a deployment as it does on Cloudflare.
 */
export const staticAssets: Plugin = {
  async getBindings(options, shared, index) {
    const declared = declaredIn(options)
    if (declared === undefined || !declared.options.bound) return []
    const env = { [declared.name]: { type: "assets" as const } }
    const config = { ...options.config, env }
    return PLUGINS.assets.getBindings({ ...options, config }, shared, index)
  },

  getNodeBindings: () => ({}),

  async getServices(context) {
    const declared = declaredIn(context.options)
    if (declared === undefined) return []
    const { rules, hasWorker } = declared.options
    const directory = await writeRules(rules)
    const assets = {
      directory,
      hasUserWorker: hasWorker,
      ...(rules.html_handling && { htmlHandling: rules.html_handling }),
      ...(rules.not_found_handling && { notFoundHandling: rules.not_found_handling }),
      ...(rules.base_path && { basePath: rules.base_path }),
      ...(rules.run_worker_first && { runWorkerFirst: rules.run_worker_first }),
    }
    const options = { ...context.options, config: { ...context.options.config, assets } }
    try {
      const native = (await PLUGINS.assets.getServices({ ...context, options })) ?? []
      const services: Service[] = Array.isArray(native) ? native : native.services
      return services.flatMap((service) => adapt(service, declared.options))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
}

type Options = StaticAssets["dev"]["options"]

function declaredIn(options: ParsedWorkerOptions): { name: string; options: Options } | undefined {
  return Object.entries(options.config.env ?? {})
    .flatMap(([name, binding]) => {
      const { data } = StaticAssets.safeParse(binding)
      return data === undefined ? [] : [{ name, options: data.dev.options }]
    })
    .at(0)
}

/** Miniflare reads these two files from a directory, which contains nothing else. */
async function writeRules({ _headers, _redirects }: AssetRules): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "static-assets-"))
  if (_headers !== undefined) await writeFile(join(directory, "_headers"), _headers)
  if (_redirects !== undefined) await writeFile(join(directory, "_redirects"), _redirects)
  return directory
}

function adapt(service: Service, options: Options): Service[] {
  if ("disk" in service) return [{ ...service, disk: { path: options.directory } }]
  if (!("worker" in service)) return [service]
  const bindings = (service.worker?.bindings ?? []).map((binding) =>
    replaceBinding(binding, options),
  )
  const has = (name: string) => bindings.some((binding) => binding.name === name)
  // A proxy in front of the router for RPC from outside, which nothing here uses.
  if (has("ROUTER_WORKER")) return []
  // Sockets can only lead to services with this prefix.
  const name = has("ASSET_WORKER") ? `core:user:${assetRouter}` : service.name
  return [{ ...service, ...(name && { name }), worker: { ...service.worker, bindings } }]
}

function replaceBinding(binding: Worker_Binding, { files }: Options): Worker_Binding {
  if (binding.name === "ASSETS_MANIFEST") return { name: binding.name, data: manifestOf(files) }
  if (binding.name === "ASSETS_REVERSE_MAP") {
    const contents = files.map(({ hash, content, contentType }) => [
      hash,
      { filePath: content, contentType },
    ])
    return { name: binding.name, json: JSON.stringify(Object.fromEntries(contents)) }
  }
  if (binding.name !== "CONFIG" || !("json" in binding)) return binding
  // Debug headers, which Cloudflare does not send.
  const config = { ...Config.parse(JSON.parse(binding.json ?? "{}")), debug: false }
  return { name: binding.name, json: JSON.stringify(config) }
}

const Config = z.record(z.string(), z.unknown())

/** Sizes in bytes of the manifest's parts. The asset Worker expects entries sorted by path hash. */
const layout = { header: 20, hash: 16, entry: 40 }

function manifestOf(files: Options["files"]): Uint8Array<ArrayBuffer> {
  const entries = files
    .map(({ path, hash }) => ({
      path: createHash("sha256").update(path).digest().subarray(0, layout.hash),
      content: Buffer.from(hash, "hex"),
    }))
    .toSorted((a, b) => a.path.compare(b.path))
  const manifest = new Uint8Array(layout.header + entries.length * layout.entry)
  for (const [index, { path, content }] of entries.entries()) {
    const start = layout.header + index * layout.entry
    manifest.set(path, start)
    manifest.set(content, start + layout.hash)
  }
  return manifest
}
