import * as z from "zod"

import { jsonColumn, type State } from "../state/state.ts"
import { uploadSessionSeconds } from "./asset-token.ts"

const ManifestFile = z.object({ path: z.string(), hash: z.string(), size: z.number() })
const UploadSession = z.object({
  id: z.string(),
  /** Name of the Worker, which may not exist yet. */
  script: z.string(),
  files: jsonColumn(z.array(ManifestFile)),
})
export type UploadSession = z.infer<typeof UploadSession>

const Asset = z.object({
  hash: z.string(),
  sha256: z.string(),
  content_type: z.string().nullable(),
})
export type Asset = z.infer<typeof Asset>

export function insertUploadSession(state: State, session: UploadSession) {
  state.insert("asset_session", { ...session, expires_at: expiry() })
}

export function findUploadSession(state: State, id: string): UploadSession | undefined {
  return state.find(UploadSession, "SELECT * FROM asset_session WHERE id = ?", id)
}

/** Keeps an upload until a version refers to it, or until it expires. */
export function saveAsset(state: State, script: string, asset: Asset) {
  state.run("DELETE FROM asset WHERE script = ? AND hash = ?", script, asset.hash)
  state.insert("asset", { script, ...asset, expires_at: expiry() })
}

/** Files that need no upload, by hash: recent uploads, and those of any version of the Worker. */
export function knownAssets(state: State, script: string): Map<string, Asset> {
  const assets = state.list(
    Asset,
    `SELECT file.value ->> 'hash' AS hash, file.value ->> 'sha256' AS sha256,
       file.value ->> 'content_type' AS content_type
     FROM worker JOIN version ON version.worker_id = worker.id,
       json_each(version.assets, '$.files') AS file
     WHERE worker.name = ?1
     UNION SELECT hash, sha256, content_type FROM asset WHERE script = ?1`,
    script,
  )
  return new Map(assets.map((asset) => [asset.hash, asset]))
}

/** For start-up only: an open session may rely on files that have expired. */
export function deleteExpiredUploads(state: State) {
  const now = new Date().toISOString()
  state.transaction(() => {
    state.run("DELETE FROM asset_session WHERE expires_at < ?", now)
    state.run("DELETE FROM asset WHERE expires_at < ?", now)
  })
}

/** Twice a session's lifetime: a session may rely on uploads of the one before it. */
function expiry(): string {
  return new Date(Date.now() + 2 * uploadSessionSeconds * 1000).toISOString()
}
