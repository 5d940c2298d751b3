/** A value that logging, errors or JSON cannot reveal by accident. */
export type Secret = { reveal: () => string }

export function conceal(value: string): Secret {
  return { reveal: () => value }
}

export function randomSecret() {
  return conceal(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
}
