import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { AssetRules, type StoredAssets } from "../workers/version.store.ts"
import type { Worker } from "../workers/worker.store.ts"
import { type Asset, findUploadSession, knownAssets, type UploadSession } from "./asset.store.ts"

export const AssetsInput = z.strictObject({
  jwt: z.string().optional(),
  config: AssetRules.extend({
    /** Deprecated: the inverse of `run_worker_first`. */
    serve_directly: z.boolean().optional(),
  }).default({}),
})

type RequestedAssets = {
  sent: z.infer<typeof AssetsInput> | undefined
  /** Assets of the previous version, when the client keeps them. */
  kept: StoredAssets | null | undefined
}

/** @throws ApiError when the token is not of a complete upload for this Worker */
export async function resolveAssets(
  { state, assetTokens }: Pick<Control, "state" | "assetTokens">,
  worker: Pick<Worker, "name">,
  { sent, kept }: RequestedAssets,
): Promise<StoredAssets | null> {
  if (sent === undefined) return kept ?? null
  const { jwt, config } = sent
  const { serve_directly, ...rules } = config
  const first = serve_directly === undefined ? {} : { run_worker_first: !serve_directly }
  const all = { ...first, ...rules }
  if (jwt === undefined) {
    if (kept) return { files: kept.files, rules: all }
    throw new ApiError(
      400,
      code.badMetadata,
      "assets.jwt is missing: upload the assets first, the last response contains it",
    )
  }
  const session = requireUploadSession(state, await assetTokens.verify(jwt, "completion"))
  if (session.script !== worker.name) {
    const message = `assets.jwt: these assets were uploaded for ${session.script}, not ${worker.name}`
    throw new ApiError(400, code.badMetadata, message)
  }
  return { files: filesOf(session, knownAssets(state, session.script)), rules: all }
}

function filesOf({ files }: UploadSession, known: Map<string, Asset>): StoredAssets["files"] {
  return files.map(({ path, hash }) => {
    const asset = known.get(hash)
    if (asset !== undefined) return { ...asset, path }
    throw new ApiError(400, code.badMetadata, `assets.jwt: the upload of ${path} is missing`)
  })
}

export function requireUploadSession(state: Control["state"], id: string): UploadSession {
  const session = findUploadSession(state, id)
  if (session !== undefined) return session
  throw new ApiError(
    401,
    code.authentication,
    "The assets upload session has expired; open a new one",
  )
}

/** Without the files `_headers` and `_redirects`, which no response contains. */
export function viewRules({ _headers, _redirects, ...rules }: z.infer<typeof AssetRules>) {
  return rules
}
