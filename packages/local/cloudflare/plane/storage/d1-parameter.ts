import { QueryError, type Statement } from "../plane.ts"

/** D1's limit for one string, in bytes; Miniflare has none. */
const sizeLimit = 2_000_000

/** Converts a bound value for D1's protocol, which has no booleans. @throws QueryError */
export function toD1Parameter(value: Statement["params"][number]): number | string | null {
  if (typeof value === "string" && Buffer.byteLength(value) > sizeLimit) {
    throw new QueryError("string or blob too big: SQLITE_TOOBIG")
  }
  return typeof value === "boolean" ? Number(value) : value
}
