/** A certificate and its private key. */
export type Pem = { cert: string; key: string }

const day = 24 * 60 * 60 * 1000

/** Milliseconds. Clients reject server certificates valid for more than about 13 months. */
export const validity = { authority: 3650 * day, leaf: 397 * day, skew: day }
