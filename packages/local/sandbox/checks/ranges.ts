import { createHash, randomBytes, randomInt } from "node:crypto"

/** Fewest and most lines of a padded answer. */
const padded = [800, 1000] as const

/** Known from many leaks, and long enough for the service. */
const known = ["password", "12345678", "password1", "qwertyuiop"]

/** Leaked passwords by the first five digits of their SHA-1: https://haveibeenpwned.com/API/v3#PwnedPasswords */
export function createRanges() {
  const hashes = new Set(known.map(hashOf))
  const asked: string[] = []
  return {
    /** Prefixes that were asked for, oldest first. */
    asked: () => asked,
    leak: (passwords: string[]) => {
      for (const password of passwords) hashes.add(hashOf(password))
    },
    /** Undefined for what is no prefix. */
    read: (prefix: string, isPadded: boolean) => {
      if (!/^[0-9a-f]{5}$/i.test(prefix)) return undefined
      asked.push(prefix)
      const found = [...hashes].filter((hash) => hash.startsWith(prefix.toUpperCase()))
      const lines = found.map((hash) => `${hash.slice(5)}:${randomInt(1, 10_000)}`)
      const missing = isPadded ? randomInt(padded[0], padded[1] + 1) - lines.length : 0
      const padding = Array.from({ length: missing }, () => `${randomSuffix()}:0`)
      return [...lines, ...padding].toSorted().join("\r\n")
    },
  }
}

function hashOf(password: string): string {
  return createHash("sha1").update(password).digest("hex").toUpperCase()
}

function randomSuffix(): string {
  return randomBytes(18).toString("hex").toUpperCase().slice(1)
}
