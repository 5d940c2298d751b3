import { randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"

import * as z from "zod"

import type { Binding, Module } from "../plane/plane.ts"
import type { Control } from "./control.ts"
import { ApiError, code } from "./envelope.ts"
import { type RuntimeSettings, type Version, insertVersion, latestVersion } from "./version.ts"
import type { Worker } from "./worker.ts"

export const Annotations = z.strictObject({
  "workers/message": z.string().max(1000).optional(),
  "workers/tag": z.string().max(100).optional(),
  "workers/triggered_by": z.string().optional(),
})

export type Upload = {
  source: string
  mainModule: string
  modules: Module[]
  compatibilityDate: string | undefined
  compatibilityFlags: string[]
  bindings: Binding[]
  annotations: Record<string, string | undefined>
  runtime: RuntimeSettings
}

/** Cloudflare's limits for the compressed size of all modules, in MiB. */
const sizeLimit = { free: 3, paid: 10 }

/**
 * Boots an upload, as Cloudflare does to validate it. Stores no version: the caller inserts it in its own
 * transaction.
 *
 * @throws ApiError 10021 with the script's own message
 */
async function prepareVersion(
  { state, blobs, live, settings }: Control,
  worker: Worker,
  upload: Upload,
): Promise<Version> {
  const { plan, doubts } = settings.read()
  checkModules(upload, plan)
  if (plan === "free" && upload.runtime.limits?.cpu_ms !== undefined) {
    throw new ApiError(
      400,
      code.noProcessorLimit,
      "CPU limits are not supported for the Free plan.",
    )
  }
  const version = {
    id: randomUUID(),
    worker_id: worker.id,
    number: (latestVersion(state, worker.id)?.number ?? 0) + 1,
    created_on: new Date().toISOString(),
    source: upload.source,
    main_module: upload.mainModule,
    modules: upload.modules.map(({ name, contentType, content }) => ({
      name,
      content_type: contentType,
      sha256: blobs.put(content),
    })),
    compatibility_date: upload.compatibilityDate ?? "",
    compatibility_flags: upload.compatibilityFlags,
    bindings: upload.bindings,
    annotations: definedOnly(upload.annotations),
    runtime: doubts.limitsIgnored ? { ...upload.runtime, limits: undefined } : upload.runtime,
    startup_time_ms: 0,
  }
  const milliseconds = await live.start(version, worker.name)
  return { ...version, startup_time_ms: Math.round(milliseconds) }
}

export async function storeVersion(control: Control, worker: Worker, upload: Upload) {
  const version = await prepareVersion(control, worker, upload)
  control.state.transaction(() => insertVersion(control.state, version))
  control.live.refresh()
  return version
}

function checkModules({ mainModule, modules }: Upload, plan: "free" | "paid") {
  if (!modules.some(({ name }) => name === mainModule)) {
    throw new ApiError(400, code.startup, `No such module "${mainModule}" among those uploaded.`)
  }
  // Source maps do not count: developers.cloudflare.com/changelog/2025-03-25-gzip-source-maps
  const counted = modules.filter(
    ({ contentType }) => !contentType.startsWith("application/source-map"),
  )
  const limit = sizeLimit[plan] * 1024 * 1024
  // Compression is slow, so check the uncompressed size first.
  if (sum(counted.map(({ content }) => content.length)) <= limit) return
  if (sum(counted.map(({ content }) => gzipSync(content).length)) <= limit) return
  // The text for the free plan is Cloudflare's, as quoted in deploy logs.
  const upgrade =
    plan === "free"
      ? ` Please upgrade to a paid plan to deploy Workers up to ${sizeLimit.paid} MiB.`
      : ""
  const message = `Your Worker exceeded the size limit of ${sizeLimit[plan]} MiB.${upgrade}`
  throw new ApiError(400, code.tooLarge, message)
}

function sum(sizes: number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

export function definedOnly(record: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}
