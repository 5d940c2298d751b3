/**
 * A path without what lets its reader in: of a segment that looks like a random token the first
 * four characters stay, which is enough to tell two apart. Ids in hexadecimal stay whole.
 */
export function maskPath(path: string): string {
  return path.split("/").map(mask).join("/")
}

/** Longer than words and slugs are without a capital, shorter than any token worth its name. */
const shortestToken = 20

function mask(segment: string): string {
  return isToken(segment) ? `${segment.slice(0, 4)}…` : segment
}

function isToken(segment: string): boolean {
  if (segment.length < shortestToken || !/^[\w.~%+=-]+$/.test(segment)) return false
  // A UUID, or 32 digits as Cloudflare's own ids are.
  if (/^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/.test(segment)) return false
  if (/[a-z]/.test(segment) && /[A-Z]/.test(segment)) return true
  const digits = segment.replaceAll(/\D/g, "").length
  return digits >= 4 && !segment.includes("-")
}
