import type { Context, Next } from "hono"

import { fail } from "../platform/http/failure.ts"
import type { HonoEnv } from "../platform/http/routing.ts"

type Chunk = Uint8Array<ArrayBuffer>

/** Bytes. */
export const maxBodySize = 128 * 1024
/** Maximum bytes to drain of an unread body. */
const maxDrainedSize = 8 * 1024 * 1024

/**
 * Drains what the handler left unread: otherwise workerd closes the connection, and a client that
 * is still uploading never sees the response.
 */
export async function drainBody(context: Context<HonoEnv>, next: Next) {
  const { body } = context.req.raw
  await next()
  // A locked body is read by the code that it was passed to.
  if (body === null || body.locked) return
  await readUpTo(maxDrainedSize, body).catch(() => {}) // The client has disconnected.
}

/** Rejects other media types: any page can send a form cross-site without a preflight, but not JSON. */
export async function requireJson(context: Context<HonoEnv>, next: Next) {
  const { req } = context
  if (req.raw.body === null) return next()
  const type = req.header("content-type") ?? ""
  if (!/^application\/json\s*(;|$)/i.test(type)) return fail(context, "UNSUPPORTED_MEDIA_TYPE")
  return next()
}

/**
 * Rejects a body that is too large, by its content length, or otherwise by counting its bytes. Hono's middleware keeps
 * the body locked, so that `drainBody` could not read the rest.
 */
export async function limitBody(context: Context<HonoEnv>, next: Next) {
  const { raw } = context.req
  if (raw.body === null) return next()
  const announced = raw.headers.get("content-length")
  // An announced empty body still counts as a body, without a content type, and so does an empty stream.
  if (announced !== null && announced !== "0" && !raw.headers.has("transfer-encoding")) {
    return Number(announced) > maxBodySize ? fail(context, "PAYLOAD_TOO_LARGE") : next()
  }
  const chunks: Chunk[] = []
  if (!(await readUpTo(maxBodySize, raw.body, chunks))) return fail(context, "PAYLOAD_TOO_LARGE")
  const body = chunks.length === 0 ? null : await new Blob(chunks).arrayBuffer()
  context.req.raw = new Request(raw, { method: raw.method, body })
  return next()
}

/** Returns whether the body ended within `size` bytes; otherwise the rest can still be read. */
async function readUpTo(size: number, body: ReadableStream<Chunk>, chunks?: Chunk[]) {
  let read = 0
  for await (const chunk of body.values({ preventCancel: true })) {
    read += chunk.byteLength
    if (read > size) return false
    chunks?.push(chunk)
  }
  return true
}
