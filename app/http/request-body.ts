import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"

type Chunk = Uint8Array<ArrayBuffer>

const largest = 128 * 1024
/** Bytes that are read of a body which nobody wants, before its sender is cut off. */
const patience = 8 * 1024 * 1024

/**
 * Reads what an answer has left of the body: where it is the Worker's own connection that ends, an
 * answer is lost on a client that is still sending.
 */
export async function readRest(context: Context<Http>, next: Next) {
  const { body } = context.req.raw
  await next()
  // What is locked was handed on whole.
  if (body === null || body.locked) return
  await fits(body, patience).catch(() => {}) // The client left.
}

/** Refuses what is too large by its announcement, or else by its bytes. */
export async function limitBody(context: Context<Http>, next: Next) {
  const { raw } = context.req
  if (raw.body === null) return next()
  const announced = raw.headers.get("content-length")
  if (announced !== null && !raw.headers.has("transfer-encoding")) {
    return Number(announced) > largest ? fail(context, "PAYLOAD_TOO_LARGE") : next()
  }
  const chunks: Chunk[] = []
  if (!(await fits(raw.body, largest, chunks))) return fail(context, "PAYLOAD_TOO_LARGE")
  const body = await new Blob(chunks).arrayBuffer()
  context.req.raw = new Request(raw, { method: raw.method, body })
  return next()
}

/** @returns whether it is all read; if not, it can be read on */
async function fits(body: ReadableStream<Chunk>, most: number, kept?: Chunk[]) {
  let size = 0
  for await (const chunk of body.values({ preventCancel: true })) {
    size += chunk.byteLength
    if (size > most) return false
    kept?.push(chunk)
  }
  return true
}
