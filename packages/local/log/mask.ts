/**
 * Masks tokens in a path: of a segment that looks random only the first four characters are kept,
 * enough to tell two tokens apart. Hexadecimal ids are kept whole.
 */
export function maskPath(path: string): string {
  return path.split("/").map(mask).join("/")
}

/** Characters: longer than lowercase words and slugs, shorter than any secure token. */
const shortestToken = 20

function mask(segment: string): string {
  return isToken(segment) ? `${segment.slice(0, 4)}…` : segment
}

function isToken(segment: string): boolean {
  if (segment.length < shortestToken || !/^[\w.~%+=-]+$/.test(segment)) return false
  // A UUID, or 32 hexadecimal digits, the form of Cloudflare's ids.
  if (/^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/.test(segment)) return false
  if (/[a-z]/.test(segment) && /[A-Z]/.test(segment)) return true
  const digits = segment.replaceAll(/\D/g, "").length
  return digits >= 4 && !segment.includes("-")
}
