import { randomBytes, sign } from "node:crypto"
import type { KeyObject } from "node:crypto"

import { encode, fieldTag, objectIdentifier, tag, time } from "./der.ts"

type Certificate = {
  /** Names in DER. */
  issuer: Buffer
  subject: Buffer
  /** Milliseconds since 1970. */
  notBefore: number
  notAfter: number
  publicKey: KeyObject
  /** On the curve P-256. */
  signingKey: KeyObject
  /** In DER. */
  extensions: Buffer[]
}

const version3 = encode(fieldTag(0), encode(tag.integer, Buffer.from([2])))
/** ecdsa-with-SHA256 */
const algorithm = encode(tag.sequence, objectIdentifier("1.2.840.10045.4.3.2"))

/** A certificate in PEM: RFC 5280, 4.1. */
export function certificate(fields: Certificate): string {
  const content = encode(
    tag.sequence,
    version3,
    encode(tag.integer, serialNumber()),
    algorithm,
    fields.issuer,
    encode(tag.sequence, time(fields.notBefore), time(fields.notAfter)),
    fields.subject,
    fields.publicKey.export({ type: "spki", format: "der" }),
    encode(fieldTag(3), encode(tag.sequence, ...fields.extensions)),
  )
  const signature = sign("sha256", content, fields.signingKey)
  return toPem(encode(tag.sequence, content, algorithm, bitString(signature)))
}

/** A name that has a common name alone. */
export function commonName(text: string): Buffer {
  const value = encode(tag.utf8String, Buffer.from(text))
  const attribute = encode(tag.sequence, objectIdentifier("2.5.4.3"), value)
  return encode(tag.sequence, encode(tag.set, attribute))
}

/** Positive and unique, as RFC 5280 requires: 16 random bytes whose first bit is 0. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

function bitString(bytes: Buffer): Buffer {
  return encode(tag.bitString, Buffer.from([0]), bytes)
}

function toPem(certificateBytes: Buffer): string {
  const lines = certificateBytes.toString("base64").match(/.{1,64}/g) ?? []
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n")
}
