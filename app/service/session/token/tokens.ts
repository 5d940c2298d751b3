import { createECDH, createHash } from "node:crypto"

import { SignJWT } from "jose"

import type { Keys } from "../../platform/configuration/keys.ts"
import type { TokenSettings } from "../../platform/configuration/token-settings.ts"
import { createId } from "../../platform/database/database.ts"

/** Cloudflare's API Shield verifies it as well, and no EdDSA. */
const alg = "ES256"

/** Order of P-256: its private keys are the numbers from 1 to below it. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

type Options = {
  tokens: TokenSettings | undefined
  keys: Keys
  /** Origin of the API, which is the issuer. */
  url: string
}

type Claims = {
  member: string
  audience: string
  /** When the session ends, which no token outlives. */
  until: Date
}

/** Signs tokens for other services, and has the keys that verify them. Neither asks the database. */
export function createTokens({ tokens, keys, url }: Options) {
  const pairs = tokens === undefined ? [] : keys.of("token").map(pairOf)
  const [signing] = pairs
  if (tokens === undefined || signing === undefined) return undefined
  const { privateKey, kid } = signing
  return {
    audiences: tokens.audiences,

    sign: async ({ member, audience, until }: Claims) => {
      const now = Math.floor(Date.now() / 1000)
      const end = Math.min(now + tokens.minutes * 60, Math.floor(until.getTime() / 1000))
      const token = await new SignJWT()
        .setProtectedHeader({ alg, kid, typ: "JWT" })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject(member)
        .setIssuedAt(now)
        .setExpirationTime(end)
        .setJti(createId("token"))
        .sign(privateKey)
      return { token, expiresAt: new Date(end * 1000) }
    },

    /** As RFC 7517 has it: during a rotation with the key that signs next, and the one before. */
    keySet: { keys: pairs.map(({ publicKey }) => publicKey) },
  }
}

/** The key pair that follows from 48 random bytes: with 32, small numbers would be likelier (FIPS 186-5, A.2.1). */
function pairOf(seed: string) {
  const drawn = BigInt(`0x${Buffer.from(seed, "base64url").toString("hex")}`)
  const number = (drawn % (order - 1n)) + 1n
  const secret = Buffer.from(number.toString(16).padStart(64, "0"), "hex")
  const curve = createECDH("prime256v1")
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const [x, y] = [textOf(point.subarray(1, 33)), textOf(point.subarray(33))]
  // Members in the order of RFC 7638, whose thumbprint is the key id.
  const key = { crv: "P-256", kty: "EC", x, y }
  const kid = createHash("sha256").update(JSON.stringify(key)).digest("base64url")
  return {
    kid,
    privateKey: { ...key, d: textOf(secret) },
    publicKey: { ...key, alg, kid, use: "sig" },
  }
}

function textOf(bytes: Uint8Array) {
  return Buffer.from(bytes).toString("base64url")
}
