import * as z from "zod"

import type { Blobs } from "../blobs.ts"
import { ApiFailure } from "../envelope.ts"
import { code } from "../error-code.ts"
import type { VersionSpec } from "../plane/plane.ts"
import type { State } from "../state.ts"
import type { Worker } from "./worker.store.ts"

function json<T extends z.ZodType>(schema: T) {
  return z.string().transform((text) => schema.parse(JSON.parse(text)))
}

const StoredModule = z.object({ name: z.string(), content_type: z.string(), sha256: z.string() })

const Version = z.object({
  id: z.string(),
  worker_id: z.string(),
  number: z.number(),
  created_on: z.string(),
  /** `api`, `wrangler`, … : the client that uploaded it. */
  source: z.string(),
  main_module: z.string(),
  modules: json(z.array(StoredModule)),
  compatibility_date: z.string(),
  compatibility_flags: json(z.array(z.string())),
  /** With the text of secrets. */
  bindings: json(z.array(z.looseObject({ name: z.string(), type: z.string() }))),
  annotations: json(z.record(z.string(), z.string())),
  startup_time_ms: z.number(),
})
export type Version = z.infer<typeof Version>

/** Newest first. */
export function listVersions(state: State, workerId: string): Version[] {
  return state
    .all("SELECT * FROM version WHERE worker_id = ? ORDER BY number DESC", workerId)
    .map((row) => Version.parse(row))
}

export function latestVersion(state: State, workerId: string): Version | undefined {
  const row = state.get(
    "SELECT * FROM version WHERE worker_id = ? ORDER BY number DESC LIMIT 1",
    workerId,
  )
  return row && Version.parse(row)
}

export function findVersion(state: State, id: string): Version | undefined {
  const row = state.get("SELECT * FROM version WHERE id = ?", id)
  return row && Version.parse(row)
}

export function requireVersion(state: State, worker: Worker, id: string): Version {
  const version = findVersion(state, id)
  if (version?.worker_id === worker.id) return version
  throw new ApiFailure(404, code.noVersion, `Worker ${worker.name} has no version ${id}`)
}

export function insertVersion(state: State, version: Version) {
  state.run(
    `INSERT INTO version (id, worker_id, number, created_on, source, main_module, modules,
       compatibility_date, compatibility_flags, bindings, annotations, startup_time_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    version.id,
    version.worker_id,
    version.number,
    version.created_on,
    version.source,
    version.main_module,
    JSON.stringify(version.modules),
    version.compatibility_date,
    JSON.stringify(version.compatibility_flags),
    JSON.stringify(version.bindings),
    JSON.stringify(version.annotations),
    version.startup_time_ms,
  )
}

/** Ids only: routing asks for them after every change. */
export function listVersionIds(state: State, workerId: string): string[] {
  return state
    .all("SELECT id FROM version WHERE worker_id = ?", workerId)
    .map((row) => String(row["id"]))
}

/** The blobs that some version still needs. */
export function referencedBlobs(state: State): Set<string> {
  const rows = state.all(
    "SELECT DISTINCT value ->> 'sha256' AS sha256 FROM version, json_each(modules)",
  )
  return new Set(rows.map((row) => String(row["sha256"])))
}

/** Reads the modules back from their blobs. */
export async function specOf(version: Version, script: string, blobs: Blobs): Promise<VersionSpec> {
  return {
    id: version.id,
    script,
    number: version.number,
    createdOn: version.created_on,
    tag: version.annotations["workers/tag"] ?? "",
    mainModule: version.main_module,
    modules: await Promise.all(
      version.modules.map(async ({ name, content_type, sha256 }) => ({
        name,
        contentType: content_type,
        content: await blobs.get(sha256),
      })),
    ),
    compatibilityDate: version.compatibility_date,
    compatibilityFlags: version.compatibility_flags,
    bindings: version.bindings,
  }
}
