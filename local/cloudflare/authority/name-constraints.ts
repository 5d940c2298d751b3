import { Extension } from "@peculiar/x509"

const identifier = "2.5.29.30"
const tag = { sequence: 0x30, permitted: 0xa0, excluded: 0xa1, dnsName: 0x82, ipAddress: 0x87 }

/**
 * Limits an authority to `domains` and their subdomains: clients reject its certificates for any other
 * name and for every IP address. RFC 5280, 4.2.1.10.
 */
export function nameConstraints(domains: readonly string[]): Extension {
  const permitted = domains.map((domain) =>
    encode(tag.sequence, encode(tag.dnsName, Buffer.from(domain, "ascii"))),
  )
  // An address and a mask of all zeros match every address: 4 bytes each for IPv4, 16 for IPv6.
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
  // Lengths up to 127 take one byte; lengths beyond 255 are not needed here.
  if (length > 0xff) throw new RangeError(`${length} bytes of permitted names, at most 255 fit`)
  return Buffer.concat([
    Buffer.from(length > 0x7f ? [type, 0x81, length] : [type, length]),
    content,
  ])
}
