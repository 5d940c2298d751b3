import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, existsSync, readFileSync } from "node:fs"

import { writeAtomically } from "./atomic-write.ts"

/** The bearer token of a state folder: 43 characters, generated on first use. */
export function openToken(file: string): string {
  if (!existsSync(file)) writeAtomically(file, randomBytes(32).toString("base64url"))
  chmodSync(file, 0o600)
  return readFileSync(file, "utf8").trim()
}

export function bearerToken(authorization = ""): string | undefined {
  return /^Bearer (?<token>\S+)$/i.exec(authorization)?.groups?.["token"]
}

/** Takes the same time wherever the two differ. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

/** `timingSafeEqual` throws unless both have the same length. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest()
}
