import { hkdfSync } from "node:crypto"

import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from "jose"

import { conceal, type Secret } from "./secret.ts"

/** Kinds of signed or sealed values, with their lifetime in seconds; 0 if a database row decides. */
export const kinds = {
  /** The library signs `session_token` and `dont_remember`, and has one key for both. */
  session: 0,
  /** Binds a session to its browser, at most as long as the session. */
  session_binding: 0,
  known_browser: 365 * 24 * 60 * 60,
  signed_up: 24 * 60 * 60,
  oauth_state: 10 * 60,
  verification: 24 * 60 * 60,
  /** The page that the link of a reset leads to. */
  reset_page: 60 * 60,
  /** Sentence of the next page: as long as its cookie. */
  page_message: 0,
  /** Challenge for an authenticator. */
  passkey_challenge: 5 * 60,
  /** A sign-in that waits for the second factor. */
  sign_in_step: 10 * 60,
  /** A browser that is not asked for one. */
  trusted_browser: 30 * 24 * 60 * 60,
  /** The secret of an app that has shown no code yet. */
  totp_enrolment: 10 * 60,
  export_cursor: 24 * 60 * 60,
  /** Verifies a new address. */
  address_code: 0,
  /** The browser that has asked for a code to sign in, and the code. */
  sign_in_code: 10 * 60,
  emailed_code: 0,
  /** To show again who has a session. */
  step_up_code: 0,
  attempt: 0,
  /** For other services; the token itself says when it ends. Its key makes a pair, of which one is public. */
  token: 0,
} as const

export type Kind = keyof typeof kinds

export type Keys = ReturnType<typeof createKeys>

type Options = {
  /** The first one signs; what the others signed is accepted as well. */
  secrets: [Secret, ...Secret[]]
  environment: string
  /** Whether a session is only for who has a verified address. */
  verifyEmail: boolean
}

/** A key for each purpose and environment: what one of them signed or sealed is nothing to the others. */
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
  // Versions before this one signed sessions with AUTH_SECRET itself; the next one refuses those.
  derived["session"] = [...(verifyEmail ? [] : derive("session")), ...verified, ...secrets]

  const of = (kind: Kind) => (derived[kind] ?? []).map((key) => key.reveal())

  return {
    of,

    first: (kind: Kind) => of(kind)[0] ?? "",

    /** Encrypts claims; opening them fails after the lifetime of the kind. */
    seal: (kind: Kind, claims: JWTPayload) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setIssuedAt()
        .setExpirationTime(`${kinds[kind]} s`)
        .encrypt(bytesOf(of(kind)[0])),

    /** The claims, also of what has expired; undefined if it was not sealed as this kind. */
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
    // Only what was opened is found to have expired.
    if (error instanceof errors.JWTExpired) return { claims: error.payload, isExpired: true }
    return undefined
  }
}
