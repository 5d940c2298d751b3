import { createHash } from "node:crypto"

import type { Properties } from "../protocol/resource.ts"

/**
 * Stands for everything that a version consists of, as an annotation that Cloudflare returns. The
 * secrets are in it together: who can read tags could test a guess of one only by knowing all.
 */
export function contentTag(inputs: Properties): string {
  const { bundle, compatibilityDate, compatibilityFlags, bindings, placement, cpuMs } = inputs
  const settings = [bundle, compatibilityDate, unordered(compatibilityFlags), sorted(bindings)]
  // A version without them keeps the tag that it was uploaded with.
  const chosen = [placement, cpuMs && { cpuMs }].filter((one) => one !== undefined)
  const content = [...settings, ...chosen]
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 32)
}

/** Text of a property for comparisons. Cloudflare keeps flags as a set. */
export function unordered(value: unknown): string {
  return Array.isArray(value) ? value.map(String).toSorted().join(" ") : String(value)
}

/** Keys in order, because the engine may pass them in another one. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([key, item]) => [key, sorted(item)])
}
