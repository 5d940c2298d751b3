import { daysUntil, notice } from "../token-expiry.ts"
import type { Finding } from "./finding.ts"

/** @param until undefined for what has no end */
export function untilFinding(
  what: "certificate" | "token",
  until: Date | undefined,
  now = new Date(),
): Finding {
  if (until === undefined) return { what, state: "ok", found: "without an end" }
  const days = daysUntil(until, now)
  const found = `until ${until.toISOString()}, ${days} days`
  return { what, state: days < notice ? "wrong" : "ok", found }
}
