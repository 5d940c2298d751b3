/** A certificate and its private key. */
export type Pem = { cert: string; key: string }
