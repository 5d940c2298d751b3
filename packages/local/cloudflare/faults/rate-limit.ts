import { createHash } from "node:crypto"

import type { Settings } from "./settings.ts"

type Quota = NonNullable<Settings["rateLimit"]>
type Window = { used: number; ends: number }

/** Headers for every response, and the seconds to wait once the quota is used up. */
export type Allowance = { headers: Record<string, string>; wait: number | undefined }

/**
 * As Cloudflare documents it: a window opens with the first request, and the first request over the
 * quota blocks the caller for a whole new window.
 */
export function createRateLimit(now: () => number = Date.now) {
  const windows = new Map<string, Window>()

  return {
    /** Counts a request. The `Authorization` header identifies the caller. */
    take(authorization: string, quota: Quota): Allowance {
      const caller = createHash("sha256").update(authorization).digest("base64")
      const known = windows.get(caller)
      const open = known !== undefined && known.ends > now()
      const window = open ? known : { used: 0, ends: now() + quota.seconds * 1000 }
      window.used += 1
      if (window.used === quota.requests + 1) window.ends = now() + quota.seconds * 1000
      windows.set(caller, window)
      const seconds = Math.ceil((window.ends - now()) / 1000)
      return {
        headers: rateHeaders(quota, { left: Math.max(0, quota.requests - window.used), seconds }),
        wait: window.used > quota.requests ? seconds : undefined,
      }
    },
  }
}

export function rateHeaders(
  { requests, seconds: window }: Quota,
  { left, seconds }: { left: number; seconds: number },
) {
  return {
    ratelimit: `"default";r=${left};t=${seconds}`,
    "ratelimit-policy": `"default";q=${requests};w=${window}`,
  }
}
