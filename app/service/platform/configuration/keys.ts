import { hkdfSync } from "node:crypto"

import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from "jose"

import { conceal, type Secret } from "./secret.ts"

/** Kinds of signed or encrypted values, with their lifetime in seconds; 0 if a database row determines it. */
export const kinds = {
  /** The library signs `session_token` and `dont_remember`, and has one key for both. */
  session: 0,
  /** Binds a session to its browser, for at most the session's lifetime. */
  session_binding: 0,
  known_browser: 365 * 24 * 60 * 60,
  signed_up: 24 * 60 * 60,
  oauth_state: 10 * 60,
  verification: 24 * 60 * 60,
  /** The page that a reset link leads to. */
  reset_page: 60 * 60,
  /** Message that the next page shows; valid as long as its cookie. */
  page_message: 0,
  /** Challenge for an authenticator. */
  passkey_challenge: 5 * 60,
  /** A sign-in that still needs its second factor. */
  sign_in_step: 10 * 60,
  /** A browser that needs no second factor. */
  trusted_browser: 30 * 24 * 60 * 60,
  /** The secret of an authenticator app that is not confirmed yet. */
  totp_enrolment: 10 * 60,
  export_cursor: 24 * 60 * 60,
  /** Verifies a new address. */
  address_code: 0,
  /** The browser that requested a sign-in code, and the code. */
  sign_in_code: 10 * 60,
  emailed_code: 0,
  /** Proves again who has a session. */
  step_up_code: 0,
  attempt: 0,
  /** Tokens for other services, which contain their own expiry. The derived key is a key pair with a public key. */
  token: 0,
} as const

export type Kind = keyof typeof kinds

export type Keys = ReturnType<typeof createKeys>

type Options = {
  /** The first one signs; signatures of the others are accepted as well. */
  secrets: [Secret, ...Secret[]]
  environment: string
  /** Whether a session requires a verified address. */
  verifyEmail: boolean
}

/** Derives a key for each purpose and environment. A value signed or encrypted for one is invalid for the others. */
export function createKeys({ secrets, environment, verifyEmail }: Options) {
  const derive = (purpose: string, length = 32) =>
    secrets.map((secret) => {
      const info = `accounts ${environment} ${purpose}`
      return conceal(
        Buffer.from(hkdfSync("sha256", secret.reveal(), "", info, length)).toString("base64url"),
      )
    })
  const verified = derive("session of a verified address")
  const derived = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, derive(kind)]))
  derived["token"] = derive("token", 48)
  // Earlier versions signed sessions with AUTH_SECRET itself. The next version will reject those.
  derived["session"] = [...(verifyEmail ? [] : derive("session")), ...verified, ...secrets]

  const of = (kind: Kind) => (derived[kind] ?? []).map((key) => key.reveal())

  return {
    of,

    first: (kind: Kind) => of(kind)[0] ?? "",

    /** Encrypts claims, which expire after the lifetime of the kind. */
    seal: (kind: Kind, claims: JWTPayload) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setIssuedAt()
        .setExpirationTime(`${kinds[kind]} s`)
        .encrypt(bytesOf(of(kind)[0])),

    /** Returns the claims, even if they have expired; undefined if they were not encrypted as this kind. */
    open: async (kind: Kind, sealed: string) => {
      const results = await Promise.all(of(kind).map((key) => decrypt(sealed, bytesOf(key))))
      return results.find((opened) => opened !== undefined)
    },
  }
}

function bytesOf(key = "") {
  return Buffer.from(key, "base64url")
}

async function decrypt(sealed: string, key: Uint8Array) {
  try {
    const options = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] }
    return { claims: (await jwtDecrypt(sealed, key, options)).payload, isExpired: false }
  } catch (error) {
    // Expiry is only detected after decryption has succeeded.
    if (error instanceof errors.JWTExpired) return { claims: error.payload, isExpired: true }
    return undefined
  }
}
