import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { Failure, isFailure } from "../../failure.ts"
import type { Api } from "../api.ts"
import { noSuchWorker } from "../no-such-worker.ts"
import { Found } from "./binding.ts"

type Upload = {
  modules: { name: string; content: Uint8Array }[]
  bindings: Record<string, object>
  compatibilityDate: string
  compatibilityFlags: string[]
  placement?: "smart" | undefined
  cpuMs?: number | undefined
  /** Stands for the whole content: two uploads with one tag are the same. */
  tag: string
  message: string
}

/** The versions of one Worker. */
export type Uploads = {
  /** Undefined when the version, or its Worker, is gone. */
  find(id: string): Promise<FoundVersion | undefined>
  /**
   * The newest version's id, if it was uploaded with this tag. Going back to an older one might be
   * refused, if a secret has changed since.
   */
  newest(tag: string): Promise<string | undefined>
  /** Returns the id of the new version. */
  create(upload: Upload): Promise<string>
}

const Annotations = z.record(z.string(), z.string()).default({})

const FoundVersion = z.object({
  annotations: Annotations,
  metadata: z.object({ source: z.string().default("an unknown client") }),
  resources: z.object({
    bindings: Found.default([]),
    script: z.object({ etag: z.string() }),
    script_runtime: z.object({
      compatibility_date: z.string().default(""),
      compatibility_flags: z.array(z.string()).default([]),
    }),
  }),
})
export type FoundVersion = z.infer<typeof FoundVersion>

const List = z.object({ items: z.array(z.object({ id: z.string(), annotations: Annotations })) })
const Created = z.object({ id: z.string() })

/** Cloudflare's codes for nothing there: 100146 is a version's in wrangler's source. */
const absent = new Set([noSuchWorker, 10_148, 100_146, 10_222])

/** How often an upload is sent whose answers are lost. */
const attempts = 3

export function openUploads(options: { api: Api; accountId: string; scriptName: string }): Uploads {
  const { api, accountId, scriptName } = options
  const name = encodeURIComponent(scriptName)
  const workers = `/accounts/${encodeURIComponent(accountId)}/workers`
  // Unlike the newer route, this one returns the text of variables, and lists the newest first.
  const versions = `${workers}/scripts/${name}/versions`

  const newest = async (tag: string): Promise<string | undefined> => {
    const list = await unlessAbsent(api.get(versions, List))
    const [latest] = list?.items ?? []
    return latest !== undefined && tagIn(latest.annotations) === tag ? latest.id : undefined
  }

  const explained = (error: unknown) => {
    if (!isFailure(error, "API_FAILED") || error.facts.code !== noSuchWorker) return error
    const advice = `run pulumi refresh, and the next pulumi up makes it again`
    const message = `Cloudflare has no Worker ${scriptName} any more: ${advice}`
    return new Failure("COMMAND_FAILED", message, { cause: error })
  }

  return {
    newest,
    find: (id) => unlessAbsent(api.get(`${versions}/${encodeURIComponent(id)}`, FoundVersion)),
    async create(upload) {
      // Unlike the older route, this one needs no version of the Worker before it.
      const path = `${workers}/workers/${name}/versions`
      for (let attempt = 1; ; attempt += 1) {
        try {
          return (await api.post(path, bodyOf(upload), Created)).id
        } catch (error) {
          if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw explained(error)
          const applied = await newest(upload.tag)
          if (applied !== undefined) return applied
          if (attempt === attempts) throw error
          await delay(500 * attempt)
        }
      }
    },
  }
}

/** A copy of a version with another secret may have kept its tag, but says what made it. */
export function tagIn(annotations: Record<string, string>): string | undefined {
  const uploaded = annotations["workers/triggered_by"] === "create_version_api"
  return uploaded ? annotations["workers/tag"] : undefined
}

function typeOf(name: string): string {
  if (name.endsWith(".js")) return "application/javascript+module"
  return name.endsWith(".js.map") ? "application/source-map" : "application/octet-stream"
}

function bodyOf(upload: Upload) {
  const { modules, bindings, compatibilityDate, compatibilityFlags, placement, cpuMs } = upload
  const { tag, message } = upload
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
    annotations: { "workers/tag": tag, "workers/message": message },
  }
}

export async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isFailure(error, "API_FAILED") && absent.has(error.facts.code ?? 0)) return undefined
    throw error
  }
}
