import { Extension } from "@peculiar/x509"

const identifier = "2.5.29.30"
const tag = { sequence: 0x30, permitted: 0xa0, excluded: 0xa1, dnsName: 0x82, ipAddress: 0x87 }

/**
 * The extension that makes clients refuse any certificate below it for a name outside `domains` and
 * what lies under them, and for every IP address: RFC 5280, 4.2.1.10.
 */
export function nameConstraints(domains: readonly string[]): Extension {
  const permitted = domains.map((domain) =>
    encode(tag.sequence, encode(tag.dnsName, Buffer.from(domain, "ascii"))),
  )
  // An address and its mask: of all zeros, every address matches. IPv4 has 4 bytes, IPv6 has 16.
  const excluded = [4, 16].map((bytes) =>
    encode(tag.sequence, encode(tag.ipAddress, Buffer.alloc(bytes * 2))),
  )
  const value = encode(
    tag.sequence,
    encode(tag.permitted, ...permitted),
    encode(tag.excluded, ...excluded),
  )
  return new Extension(identifier, true, value)
}

function encode(type: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  // A length of up to 127 is one byte; those beyond 255 are not needed here.
  if (length > 0xff) throw new RangeError(`${length} bytes of names are too many`)
  return Buffer.concat([
    Buffer.from(length > 0x7f ? [type, 0x81, length] : [type, length]),
    content,
  ])
}
