import { expect } from "vitest"

/** Characters of a secret that give it away wherever they stand. */
const telling = 12

/**
 * A secret as it may stand in a text: plain, JSON-escaped, URL-encoded, in hex, and in base64 and
 * base64url at each of the three places at which its bytes may begin.
 */
export function formsOf(secret: string): Record<string, string> {
  if (secret.length < telling) throw new Error("A secret of a test has 12 characters or more")
  const hex = Buffer.from(secret).toString("hex")
  return {
    plain: secret,
    "JSON-escaped": JSON.stringify(secret).slice(1, -1),
    "JSON-escaped twice": JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    "URL-encoded": encodeURIComponent(secret),
    "URL-encoded as in a form": new URLSearchParams({ a: secret }).toString().slice(2),
    hex,
    "upper-case hex": hex.toUpperCase(),
    ...base64Forms(secret, "base64"),
    ...base64Forms(secret, "base64url"),
  }
}

/** The part of a base64 text that depends on the secret alone, whatever stands before and after it. */
function base64Forms(secret: string, encoding: "base64" | "base64url"): Record<string, string> {
  return Object.fromEntries(
    [0, 1, 2].map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
      // Only whole characters of six bits: the first and the last ones may be shared with neighbours.
      const first = Math.ceil((before * 8) / 6)
      const last = Math.floor((bytes.length * 8) / 6)
      return [`${encoding} after ${before} bytes`, bytes.toString(encoding).slice(first, last)]
    }),
  )
}

/** The forms of secrets that stand in a text: the name of the secret, and the form. */
export function leaksIn(text: string, secrets: Record<string, string>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret))
      .filter(([, form]) => text.includes(form))
      .map(([form]) => `${name}, ${form}`),
  )
}

/** Expects that no form of a secret stands in a text, without showing the text if one does. */
export function expectNoLeak(text: string, secrets: Record<string, string>): void {
  expect(leaksIn(text, secrets)).toEqual([])
}
