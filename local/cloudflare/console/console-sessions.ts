import { createHash, randomBytes } from "node:crypto"

/** Who may look through the console page: browsers that were let in by a link, once each. */
export type ConsoleSessions = {
  /** A code for one browser; the time is milliseconds since 1970. */
  createLinkCode(): { code: string; expiresAt: number }
  /** The key of a new session; undefined when the code was used, is too old, or never was one. */
  redeem(code: string): string | undefined
  isValid(key: string): boolean
  revoke(key: string): void
}

export const linkLifetime = 10 * 60 * 1000
export const sessionLifetime = 12 * 60 * 60 * 1000

/** In memory alone, as digests: with the process every session ends. */
export function createConsoleSessions(now: () => number = Date.now): ConsoleSessions {
  const invitations = new Map<string, number>()
  const sessions = new Map<string, number>()

  function issue(into: Map<string, number>, lifetime: number) {
    for (const [digest, expiresAt] of into) if (expiresAt <= now()) into.delete(digest)
    const secret = randomBytes(32).toString("base64url")
    const expiresAt = now() + lifetime
    into.set(digestOf(secret), expiresAt)
    return { secret, expiresAt }
  }

  return {
    createLinkCode() {
      const { secret, expiresAt } = issue(invitations, linkLifetime)
      return { code: secret, expiresAt }
    },
    redeem(code) {
      const digest = digestOf(code)
      const expiresAt = invitations.get(digest) ?? 0
      invitations.delete(digest)
      return expiresAt > now() ? issue(sessions, sessionLifetime).secret : undefined
    },
    isValid: (key) => (sessions.get(digestOf(key)) ?? 0) > now(),
    revoke: (key) => void sessions.delete(digestOf(key)),
  }
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
