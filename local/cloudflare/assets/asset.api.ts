import { randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { bearerToken } from "../../daemon/token.ts"
import { requireAccount } from "../account/account.api.ts"
import type { Control } from "../control.ts"
import { ApiError, body, noQuery, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { readForm } from "../workers/multipart.ts"
import { checkName } from "../workers/worker-limits.ts"
import { findWorker } from "../workers/worker.store.ts"
import { insertUploadSession, knownAssets, saveAsset, type UploadSession } from "./asset.store.ts"
import { requireUploadSession } from "./version-assets.ts"

/** Cloudflare's limits: bytes of one file, and files of one version on the paid plan. */
const limit = { bytes: 25 * 1024 * 1024, files: 100_000 }
/** The files that one request should carry, few enough for a client to show progress. */
const bucket = { bytes: 25 * 1024 * 1024, files: 500 }

const Manifest = z.strictObject({
  manifest: z
    .record(
      z.string().startsWith("/"),
      z.strictObject({
        hash: z.string().regex(/^[0-9a-f]{32}$/, "Use 32 hexadecimal digits"),
        size: z.number().int().min(0).max(limit.bytes),
      }),
    )
    .refine((files) => Object.keys(files).length <= limit.files, `At most ${limit.files} files`),
})
const UploadQuery = z.strictObject({ base64: z.literal("true") })

/**
 * `…/workers/scripts/{script}/assets-upload-session`. The Worker need not exist yet. Repeating the
 * request opens another session, without the files uploaded meanwhile.
 */
export function assetSessionApi({ state, assetTokens }: Control) {
  const app = new Hono()

  app.post("/:script/assets-upload-session", noQuery, async (c) => {
    const { manifest } = await body(c, Manifest)
    const idOrName = c.req.param("script")
    const script = findWorker(state, idOrName)?.name ?? idOrName
    checkName(script)
    const files = Object.entries(manifest).map(([path, { hash, size }]) => ({ path, hash, size }))
    const session = { id: randomUUID(), script, files }
    state.transaction(() => insertUploadSession(state, session))
    const buckets = bucketsOf(missing(state, session))
    const purpose = buckets.length === 0 ? "completion" : "upload"
    return c.json(success({ jwt: await assetTokens.sign(session.id, purpose), buckets }))
  })

  return app
}

/**
 * `accounts/{account}/workers/assets/upload`, authorized by the session's token instead of the API
 * token. Idempotent. The request that completes the session answers 201.
 */
export function assetUploadApi({ state, blobs, assetTokens }: Control) {
  const app = new Hono()

  app.post("/accounts/:account/workers/assets/upload", async (c) => {
    requireAccount(c.req.param("account"))
    query(c, UploadQuery)
    const token = bearerToken(c.req.header("authorization")) ?? ""
    const id = await assetTokens.verify(token, "upload")
    const session = requireUploadSession(state, id)
    const uploads = await Promise.all(
      [...(await readForm(c))].map(([hash, part]) => readPart(session, hash, part)),
    )
    const assets = uploads.map(({ hash, content, content_type }) => ({
      hash,
      sha256: blobs.put(content),
      content_type,
    }))
    state.transaction(() => {
      for (const asset of assets) saveAsset(state, session.script, asset)
    })
    if (missing(state, session).length > 0) return c.json(success({}), 202)
    return c.json(success({ jwt: await assetTokens.sign(id, "completion") }), 201)
  })

  return app
}

async function readPart({ files }: UploadSession, hash: string, part: File | string) {
  const announced = files.find((file) => file.hash === hash)
  if (announced === undefined) {
    throw new ApiError(400, code.badMetadata, `${hash} is not in the manifest of this session`)
  }
  const text = typeof part === "string" ? part : await part.text()
  const content = Buffer.from(text, "base64")
  if (content.length !== announced.size) {
    const message = `${announced.path} has ${content.length} bytes, the manifest says ${announced.size}`
    throw new ApiError(400, code.badMetadata, message)
  }
  const type = typeof part === "string" ? "" : part.type
  // wrangler sends `application/null` for a file without a type: its multipart encoder needs one.
  return { hash, content, content_type: type === "" || type === "application/null" ? null : type }
}

function missing(state: Control["state"], { script, files }: UploadSession) {
  const known = knownAssets(state, script)
  const byHash = new Map(files.map((file) => [file.hash, file]))
  return [...byHash.values()].filter(({ hash }) => !known.has(hash))
}

function bucketsOf(files: UploadSession["files"]): string[][] {
  const buckets: string[][] = []
  let bytes = 0
  for (const { hash, size } of files) {
    const last = buckets.at(-1)
    if (last !== undefined && bytes + size <= bucket.bytes && last.length < bucket.files) {
      last.push(hash)
      bytes += size
    } else {
      buckets.push([hash])
      bytes = size
    }
  }
  return buckets
}
