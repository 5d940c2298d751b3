import * as z from "zod"

import type { Module, VersionSpec } from "../plane/plane.ts"
import type { Blobs } from "../state/state.ts"
import { type State, jsonColumn } from "../state/state.ts"
import { ApiError, code } from "./envelope.ts"
import type { Worker } from "./worker.ts"

const StoredModule = z.object({ name: z.string(), content_type: z.string(), sha256: z.string() })

/** Settings that are only stored and returned: here they change neither placement nor limits. */
export const RuntimeSettings = z.strictObject({
  limits: z
    .strictObject({
      cpu_ms: z.int().min(1).optional(),
      subrequests: z.int().min(1).optional(),
    })
    .optional(),
  placement: z
    .strictObject({
      mode: z.enum(["smart", "targeted"]).optional(),
      region: z.string().optional(),
      hostname: z.string().optional(),
      host: z.string().optional(),
    })
    .optional(),
})
export type RuntimeSettings = z.infer<typeof RuntimeSettings>

/** Cloudflare's default for a missing compatibility date. */
const oldestCompatibilityDate = "2021-11-02"

const Version = z.object({
  id: z.string(),
  worker_id: z.string(),
  number: z.number(),
  created_on: z.string(),
  /** The client that uploaded the version: `api`, `wrangler`, … */
  source: z.string(),
  main_module: z.string(),
  modules: jsonColumn(z.array(StoredModule)),
  /** Empty if none was sent; responses then omit it (Terraform's TestAccCloudflareWorkerVersion_Basic). */
  compatibility_date: z.string(),
  compatibility_flags: jsonColumn(z.array(z.string())),
  /** Includes the text of secrets. */
  bindings: jsonColumn(z.array(z.looseObject({ name: z.string(), type: z.string() }))),
  annotations: jsonColumn(z.record(z.string(), z.string())),
  startup_time_ms: z.number(),
  runtime: jsonColumn(RuntimeSettings),
})
export type Version = z.infer<typeof Version>

/** Lists versions, newest first. */
export function listVersions(state: State, workerId: string): Version[] {
  return state.list(
    Version,
    "SELECT * FROM version WHERE worker_id = ? ORDER BY number DESC",
    workerId,
  )
}

export function latestVersion(state: State, workerId: string): Version | undefined {
  return state.find(
    Version,
    "SELECT * FROM version WHERE worker_id = ? ORDER BY number DESC LIMIT 1",
    workerId,
  )
}

export function findVersion(state: State, id: string): Version | undefined {
  return state.find(Version, "SELECT * FROM version WHERE id = ?", id)
}

export function requireVersion(state: State, worker: Worker, id: string): Version {
  const version = findVersion(state, id)
  if (version?.worker_id === worker.id) return version
  throw noVersion(worker, id)
}

export function noVersion(worker: Worker, id: string): ApiError {
  return new ApiError(404, code.noVersion, `Worker ${worker.name} has no version ${id}`)
}

/** How many of a Worker's newest versions can be deployed (docs: workers/configuration/versions-and-deployments). */
const deployable = 100

export function listDeployableVersions(state: State, workerId: string): Version[] {
  return listVersions(state, workerId).slice(0, deployable)
}

/** @throws ApiError 400 for a version that is not among the last 100. Code and text are assumed. */
export function requireDeployable(state: State, worker: Worker, id: string): Version {
  const version = requireVersion(state, worker, id)
  const newest = latestVersion(state, worker.id)?.number ?? version.number
  if (version.number > newest - deployable) return version
  const message = `Version ${id} is not among the last ${deployable} uploaded versions of ${worker.name}, which alone can be deployed`
  throw new ApiError(400, code.noVersion, message)
}

export function insertVersion(state: State, version: Version) {
  state.insert("version", version)
}

/** Lists only ids, because routing reads them after every change. */
export function listVersionIds(state: State, workerId: string): string[] {
  return state
    .all("SELECT id FROM version WHERE worker_id = ?", workerId)
    .map((row) => String(row["id"]))
}

/** Returns the SHA-256 of every blob that a version needs. */
export function referencedBlobs(state: State): Set<string> {
  const rows = state.all("SELECT value ->> 'sha256' AS sha256 FROM version, json_each(modules)")
  return new Set(rows.map((row) => String(row["sha256"])))
}

export function modulesOf({ modules }: Version, blobs: Blobs): Promise<Module[]> {
  return Promise.all(
    modules.map(async ({ name, content_type, sha256 }) => ({
      name,
      contentType: content_type,
      content: await blobs.get(sha256),
    })),
  )
}

export async function specOf(version: Version, script: string, blobs: Blobs): Promise<VersionSpec> {
  return {
    id: version.id,
    script,
    number: version.number,
    createdOn: version.created_on,
    tag: version.annotations["workers/tag"] ?? "",
    mainModule: version.main_module,
    modules: await modulesOf(version, blobs),
    compatibilityDate: version.compatibility_date || oldestCompatibilityDate,
    compatibilityFlags: version.compatibility_flags,
    bindings: version.bindings,
  }
}

const Deployment = z.object({
  id: z.string(),
  worker_id: z.string(),
  created_on: z.string(),
  source: z.string(),
  annotations: jsonColumn(z.record(z.string(), z.string())),
  versions: jsonColumn(z.array(z.object({ version_id: z.string(), percentage: z.number() }))),
})
export type Deployment = z.infer<typeof Deployment>

/** Lists deployments, newest first. The first is live. */
export function listDeployments(state: State, workerId: string): Deployment[] {
  return state.list(
    Deployment,
    "SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC",
    workerId,
  )
}

export function liveDeployment(state: State, workerId: string): Deployment | undefined {
  return state.find(
    Deployment,
    "SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC LIMIT 1",
    workerId,
  )
}

export function insertDeployment(state: State, deployment: Deployment) {
  state.insert("deployment", deployment)
}

export function deleteDeployment(state: State, id: string) {
  state.run("DELETE FROM deployment WHERE id = ?", id)
}
