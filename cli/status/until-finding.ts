import type { Finding } from "./finding.ts"

const day = 86_400_000

/** Days before something ends from which somebody is told. */
const notice = 14

/** @param until undefined for what has no end */
export function untilFinding(
  what: "certificate" | "token",
  until: Date | undefined,
  now = new Date(),
): Finding {
  if (until === undefined) return { what, state: "ok", found: "without an end" }
  const days = Math.floor((until.getTime() - now.getTime()) / day)
  const found = `until ${until.toISOString()}, ${days} days`
  return { what, state: days < notice ? "wrong" : "ok", found }
}
