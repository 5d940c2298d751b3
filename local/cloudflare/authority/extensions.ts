import { createHash } from "node:crypto"
import type { KeyObject } from "node:crypto"

import { encode, fieldTag, objectIdentifier, partsOf, tag } from "./der.ts"

const yes = encode(tag.boolean, Buffer.from([0xff]))
const zero = encode(tag.integer, Buffer.from([0]))

/** Without an authority of its own below it. */
export function authorityConstraints(): Buffer {
  return extension("2.5.29.19", encode(tag.sequence, yes, zero), { critical: true })
}

export function noAuthority(): Buffer {
  return extension("2.5.29.19", encode(tag.sequence), { critical: true })
}

/** What a key may do: a string of bits, of which the last are unused. */
const uses = { digitalSignature: [7, 0b1000_0000], certificateSigning: [2, 0b0000_0100] } as const

export function keyUsage(use: keyof typeof uses): Buffer {
  return extension("2.5.29.15", encode(tag.bitString, Buffer.from(uses[use])), { critical: true })
}

export function forServers(): Buffer {
  return extension("2.5.29.37", encode(tag.sequence, objectIdentifier("1.3.6.1.5.5.7.3.1")))
}

export function alternativeName(hostname: string): Buffer {
  return extension("2.5.29.17", encode(tag.sequence, dnsName(hostname)))
}

export function subjectKey(key: KeyObject): Buffer {
  return extension("2.5.29.14", encode(tag.octetString, keyIdentifier(key)))
}

export function authorityKey(key: KeyObject): Buffer {
  const field = encode(fieldTag(0, { primitive: true }), keyIdentifier(key))
  return extension("2.5.29.35", encode(tag.sequence, field))
}

/**
 * Limits an authority to `domains` and their subdomains: clients reject its certificates for any other
 * name and for every IP address. RFC 5280, 4.2.1.10.
 */
export function nameConstraints(domains: readonly string[]): Buffer {
  const permitted = domains.map((domain) => encode(tag.sequence, dnsName(domain)))
  // An address and a mask of all zeros match every address: 4 bytes each for IPv4, 16 for IPv6.
  const excluded = [4, 16].map((bytes) =>
    encode(tag.sequence, encode(fieldTag(7, { primitive: true }), Buffer.alloc(bytes * 2))),
  )
  const value = encode(
    tag.sequence,
    encode(fieldTag(0), ...permitted),
    encode(fieldTag(1), ...excluded),
  )
  return extension("2.5.29.30", value, { critical: true })
}

function dnsName(name: string): Buffer {
  return encode(fieldTag(2, { primitive: true }), Buffer.from(name, "ascii"))
}

function extension(identifier: string, value: Buffer, { critical = false } = {}): Buffer {
  const content = encode(tag.octetString, value)
  return encode(tag.sequence, objectIdentifier(identifier), ...(critical ? [yes] : []), content)
}

/** SHA-1 of the bits of the public key: RFC 5280, 4.2.1.2. */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits = Buffer.alloc(0)] = partsOf(key.export({ type: "spki", format: "der" }))
  // The first two bytes are the tag and the length, the third says how many bits are unused.
  return createHash("sha1").update(bits.subarray(3)).digest()
}
