import type { Env } from "./env.ts"

/** Seconds after which a limited caller may try again; the limits' own period at most. */
export const retryAfter = 60

/** Whether a binding of the rate limiter admits one more for the key; where it is not bound there is no limit. */
export async function isWithin(limit: Env["LIMIT_ADDRESS"], key: string) {
  if (limit === undefined) return true
  const { success } = await limit.limit({ key })
  return success
}
