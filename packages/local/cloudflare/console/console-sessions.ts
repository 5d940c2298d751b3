import { createHash, randomBytes } from "node:crypto"

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>

export const linkMilliseconds = 10 * 60 * 1000
export const sessionMilliseconds = 12 * 60 * 60 * 1000

/** In memory, as digests: every session ends with the process. */
export function createConsoleSessions(now: () => number = Date.now) {
  const linkCodes = new Map<string, number>()
  const sessions = new Map<string, number>()

  function issue(into: Map<string, number>, lifetime: number) {
    for (const [digest, expiresAt] of into) if (expiresAt <= now()) into.delete(digest)
    const secret = randomBytes(32).toString("base64url")
    const expiresAt = now() + lifetime
    into.set(digestOf(secret), expiresAt)
    return { secret, expiresAt }
  }

  return {
    /** The code opens one session; `expiresAt` is in milliseconds since 1970. */
    createLinkCode() {
      const { secret, expiresAt } = issue(linkCodes, linkMilliseconds)
      return { code: secret, expiresAt }
    },
    /** Returns the key of a new session; undefined for a used, expired or unknown code. */
    redeem(code: string) {
      const digest = digestOf(code)
      const expiresAt = linkCodes.get(digest) ?? 0
      linkCodes.delete(digest)
      return expiresAt > now() ? issue(sessions, sessionMilliseconds).secret : undefined
    },
    isValid: (key: string) => (sessions.get(digestOf(key)) ?? 0) > now(),
    revoke: (key: string) => void sessions.delete(digestOf(key)),
  }
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
