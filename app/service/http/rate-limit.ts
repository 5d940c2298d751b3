import type { Env } from "../configuration/env.ts"

/** Seconds until a rejected client may retry: the longest period of the rate limiters. */
export const retryAfter = 60

/** Counts one request for the key. True if the rate limiter admits it, or if none is bound. */
export async function isWithinLimit(limit: Env["LIMIT_ADDRESS"], key: string) {
  if (limit === undefined) return true
  const { success } = await limit.limit({ key })
  return success
}
