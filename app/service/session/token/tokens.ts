import { createECDH, createHash } from "node:crypto"

import { SignJWT } from "jose"

import type { Keys } from "../../platform/configuration/keys.ts"
import type { TokenSettings } from "../../platform/configuration/token-settings.ts"
import { createId } from "../../platform/database/database.ts"

/** Cloudflare's API Shield can verify ES256, but not EdDSA. */
const alg = "ES256"

/** Order of P-256. Its private keys are the integers from 1 to `order - 1`. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

type Options = {
  tokens: TokenSettings | undefined
  keys: Keys
  /** Origin of the API, used as the issuer. */
  url: string
}

type Claims = {
  member: string
  audience: string
  /** End of the session. No token expires later. */
  until: Date
}

/** Creates the signer of tokens for other services, and its public keys. Undefined if tokens are not configured. */
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

    /** JWK set (RFC 7517). During a rotation it also contains the next or the previous key. */
    keySet: { keys: pairs.map(({ publicKey }) => publicKey) },
  }
}

/** Derives a key pair from 48 random bytes. With 32, small numbers would be likelier (FIPS 186-5, A.2.1). */
function pairOf(seed: string) {
  const drawn = BigInt(`0x${Buffer.from(seed, "base64url").toString("hex")}`)
  const number = (drawn % (order - 1n)) + 1n
  const secret = Buffer.from(number.toString(16).padStart(64, "0"), "hex")
  const curve = createECDH("prime256v1")
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const [x, y] = [textOf(point.subarray(1, 33)), textOf(point.subarray(33))]
  // The key id is the thumbprint of RFC 7638, which requires this order of members.
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
