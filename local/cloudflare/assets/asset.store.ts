import * as z from "zod"

import type { State } from "../state/state.ts"
import { uploadSessionSeconds } from "./asset-token.ts"

const ManifestFile = z.object({ path: z.string(), hash: z.string(), size: z.number() })
const UploadSession = z.object({
  id: z.string(),
  /** Name of the Worker, which may not exist yet. */
  script: z.string(),
  files: z.string().transform((text) => z.array(ManifestFile).parse(JSON.parse(text))),
})
export type UploadSession = z.infer<typeof UploadSession>

const Asset = z.object({
  hash: z.string(),
  sha256: z.string(),
  content_type: z.string().nullable(),
})
export type Asset = z.infer<typeof Asset>

export function insertUploadSession(state: State, { id, script, files }: UploadSession) {
  state.run(
    "INSERT INTO asset_session (id, script, files, expires_at) VALUES (?, ?, ?, ?)",
    id,
    script,
    JSON.stringify(files),
    expiry(),
  )
}

export function findUploadSession(state: State, id: string): UploadSession | undefined {
  const row = state.get("SELECT * FROM asset_session WHERE id = ?", id)
  return row && UploadSession.parse(row)
}

/** Keeps an upload until a version refers to it, or until it expires. */
export function saveAsset(state: State, script: string, { hash, sha256, content_type }: Asset) {
  state.run(
    "INSERT OR REPLACE INTO asset (script, hash, sha256, content_type, expires_at) VALUES (?, ?, ?, ?, ?)",
    script,
    hash,
    sha256,
    content_type,
    expiry(),
  )
}

/** Files that need no upload, by hash: recent uploads, and those of any version of the Worker. */
export function knownAssets(state: State, script: string): Map<string, Asset> {
  const rows = state.all(
    `SELECT file.value ->> 'hash' AS hash, file.value ->> 'sha256' AS sha256,
       file.value ->> 'content_type' AS content_type
     FROM worker JOIN version ON version.worker_id = worker.id,
       json_each(version.assets, '$.files') AS file
     WHERE worker.name = ?1
     UNION SELECT hash, sha256, content_type FROM asset WHERE script = ?1`,
    script,
  )
  return new Map(rows.map((row) => Asset.parse(row)).map((asset) => [asset.hash, asset]))
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
