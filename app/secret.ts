/** A secret that no log, error or JSON shows by accident. */
export type Secret = { readonly reveal: () => string }

export const conceal = (value: string): Secret => ({ reveal: () => value })

export const randomSecret = () =>
  conceal(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex"))
