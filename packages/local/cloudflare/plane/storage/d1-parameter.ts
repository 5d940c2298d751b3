import { inspect } from "node:util"

import { QueryError } from "../plane.ts"

/** D1's limit for one string or blob, in bytes; Miniflare has none. */
const sizeLimit = 2_000_000

/** Converts a bound value for D1's protocol, where a blob is an array of bytes. @throws QueryError */
export function toD1Parameter(value: unknown): number | string | null | number[] {
  if (value === null || typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "string") {
    if (Buffer.byteLength(value) > sizeLimit) throw tooBig()
    return value
  }
  if (value instanceof ArrayBuffer) return bytesOf(new Uint8Array(value))
  if (value instanceof Uint8Array) return bytesOf(value)
  if (Array.isArray(value) && value.every(isByte)) return bytesOf(Uint8Array.from(value))
  throw new QueryError(`Type '${typeof value}' not supported for value '${inspect(value)}'`)
}

function tooBig() {
  return new QueryError("string or blob too big: SQLITE_TOOBIG")
}

function bytesOf(bytes: Uint8Array) {
  if (bytes.byteLength > sizeLimit) throw tooBig()
  return [...bytes]
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255
}
