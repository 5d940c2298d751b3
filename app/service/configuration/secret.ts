/** A value that logging, errors or JSON cannot reveal by accident. */
export type Secret = { reveal: () => string }

/** Fewest characters of one that the service makes. Not in app/bindings.ts: the module goes without that table. */
export const leastSecret = 32

export function conceal(value: string): Secret {
  return { reveal: () => value }
}

export function randomSecret() {
  return conceal(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
}
