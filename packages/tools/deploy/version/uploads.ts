import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import { type WorkerPlace, isNotFound, undefinedIfNotFound, retryUntilFound } from "../api.ts"
import { hashBundle } from "./bundle-store.ts"
import { Found } from "./inputs.ts"

type Upload = {
  modules: { name: string; content: Uint8Array }[]
  bindings: Record<string, object>
  compatibilityDate: string
  compatibilityFlags: string[]
  placement?: "smart" | undefined
  cpuMs?: number | undefined
  message: string
}

const FoundVersion = z.object({
  id: z.string(),
  source: z.string().default("an unknown client"),
  annotations: z.record(z.string(), z.string()).default({}),
  bindings: Found.default([]),
  compatibility_date: z.string().default(""),
  compatibility_flags: z.array(z.string()).default([]),
  limits: z.object({ cpu_ms: z.number().optional() }).default({}),
  placement: z.object({ mode: z.string().optional() }).optional(),
})
export type FoundVersion = z.infer<typeof FoundVersion>

/** Bindings from the older route, because the newer route may omit their texts. */
const Texts = z.object({ resources: z.object({ bindings: Found.default([]) }) })

const Code = z.object({
  modules: z.array(z.object({ name: z.string(), content_base64: z.base64() })).default([]),
})
const List = z.array(
  z.object({ id: z.string(), number: z.number(), annotations: FoundVersion.shape.annotations }),
)
const Created = z.object({ id: z.string() })

/** Maximum attempts of an upload whose responses are lost. */
const attempts = 3
/** Milliseconds to wait until Cloudflare returns a new version. */
const usualPatience = 30_000

/** Opens the versions of one Worker. */
export function openUploads({ api, accountId, scriptName }: WorkerPlace) {
  const name = encodeURIComponent(scriptName)
  const workers = `/accounts/${encodeURIComponent(accountId)}/workers`
  // Unlike the older route, this route finds a Worker that was never deployed.
  const versions = `${workers}/workers/${name}/versions`
  const pathOf = (id: string) => `${versions}/${encodeURIComponent(id)}`

  /** Adds the texts of variables: OpenAPI requires them, but terraform-provider-cloudflare finds them missing. */
  const withTexts = async (candidate: FoundVersion): Promise<FoundVersion> => {
    const whole = candidate.bindings.every(
      ({ type, text }) => type !== "plain_text" || text !== undefined,
    )
    if (whole) return candidate
    const path = `${workers}/scripts/${name}/versions/${candidate.id}`
    const older = await retryUntilFound(() => api.get(path, Texts))
    return { ...candidate, bindings: older?.resources.bindings ?? candidate.bindings }
  }

  /** Returns the oldest version with the tag: a copy made at the same time has a higher number. */
  const uploadedWith = async (tag: string): Promise<string | undefined> => {
    const list = (await undefinedIfNotFound(api.get(`${versions}?per_page=100`, List))) ?? []
    const tagged = list.filter(({ annotations }) => annotations["workers/tag"] === tag)
    return tagged.toSorted((a, b) => a.number - b.number)[0]?.id
  }

  const explained = (error: unknown) => {
    if (!isNotFound(error)) return error
    const advice = `run pulumi refresh, and the next pulumi up makes it again`
    const message = `Cloudflare has no Worker ${scriptName} any more: ${advice}`
    return new Failure("COMMAND_FAILED", message, { cause: error })
  }

  /**
   * Returns undefined when the version, or its Worker, is gone.
   * @param patience milliseconds for a version that Cloudflare does not return yet
   */
  const find = async (id: string, patience?: number): Promise<FoundVersion | undefined> => {
    const version = await retryUntilFound(() => api.get(pathOf(id), FoundVersion), patience)
    // The path also accepts the beginning of an id, and the word "latest".
    return version?.id === id ? await withTexts(version) : undefined
  }

  const send = async (upload: Upload): Promise<string> => {
    // Random for each run, because copies of a version keep its tag.
    const tag = randomUUID()
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await api.post(versions, bodyOf(upload, tag), Created)).id
      } catch (error) {
        if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw explained(error)
        const applied = await uploadedWith(tag)
        if (applied !== undefined) return applied
        if (attempt === attempts) throw error
        await delay(500 * attempt)
      }
    }
  }

  return {
    find,
    /** Returns the hash of a version's bundle, computed from its code. */
    async bundleOf(id: string): Promise<string> {
      const { modules } = await api.get(`${pathOf(id)}?include=modules`, Code)
      return hashBundle(
        modules.map((moduleContent) => ({
          name: moduleContent.name,
          content: Buffer.from(moduleContent.content_base64, "base64"),
        })),
      )
    },
    /**
     * Uploads a version, and returns it once Cloudflare does.
     * @param patience milliseconds to wait until Cloudflare returns it
     */
    async create(upload: Upload, patience = usualPatience): Promise<FoundVersion> {
      const id = await send(upload)
      const version = await find(id, patience)
      if (version !== undefined) return version
      throw new Error(
        `version ${id} of ${scriptName} was uploaded, but Cloudflare does not return it after ` +
          `${patience / 1000} s. It has no traffic, and nothing else has changed: run again`,
      )
    },
  }
}

function typeOf(name: string): string {
  if (name.endsWith(".js")) return "application/javascript+module"
  return name.endsWith(".js.map") ? "application/source-map" : "application/octet-stream"
}

function bodyOf(upload: Upload, tag: string) {
  const { modules, bindings, compatibilityDate, compatibilityFlags, placement, cpuMs } = upload
  return {
    main_module: "worker.js",
    modules: modules.map(({ name, content }) => ({
      name,
      content_type: typeOf(name),
      content_base64: Buffer.from(content).toString("base64"),
    })),
    bindings: Object.entries(bindings).map(([name, binding]) => Object.assign({ name }, binding)),
    compatibility_date: compatibilityDate,
    compatibility_flags: compatibilityFlags,
    ...(placement && { placement: { mode: placement } }),
    ...(cpuMs !== undefined && { limits: { cpu_ms: cpuMs } }),
    annotations: { "workers/tag": tag, "workers/message": upload.message },
  }
}
