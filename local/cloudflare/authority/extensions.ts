import { createHash } from "node:crypto"

import { AsnConvert, OctetString } from "@peculiar/asn1-schema"
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  NameConstraints,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
} from "@peculiar/asn1-x509"
import type { SubjectPublicKeyInfo } from "@peculiar/asn1-x509"

type Parties = { subject: SubjectPublicKeyInfo; issuer: SubjectPublicKeyInfo }

/** Of an authority that certifies names in `domains` only, and no other authorities. */
export function authorityExtensions(domains: readonly string[], subject: SubjectPublicKeyInfo) {
  return [
    critical(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign)),
    critical(id_ce_nameConstraints, nameConstraints(domains)),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(fingerprint(subject))),
  ]
}

/** Of a server's certificate for one hostname. */
export function serverExtensions(hostname: string, { subject, issuer }: Parties) {
  const keyIdentifier = new KeyIdentifier(fingerprint(issuer))
  return [
    critical(id_ce_basicConstraints, new BasicConstraints({ cA: false })),
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName([dnsName(hostname)])),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(fingerprint(subject))),
  ]
}

/**
 * Limits an authority to `domains` and their subdomains: clients reject its certificates for any other
 * name and for every IP address. RFC 5280, 4.2.1.10.
 */
function nameConstraints(domains: readonly string[]): NameConstraints {
  const everyAddress = ["0.0.0.0/0", "::/0"].map((iPAddress) => new GeneralName({ iPAddress }))
  return new NameConstraints({
    permittedSubtrees: subtrees(domains.map(dnsName)),
    excludedSubtrees: subtrees(everyAddress),
  })
}

function subtrees(names: GeneralName[]): GeneralSubtrees {
  return new GeneralSubtrees(names.map((base) => new GeneralSubtree({ base })))
}

function dnsName(dNSName: string): GeneralName {
  return new GeneralName({ dNSName })
}

/** How certificates name a key. RFC 5280, 4.2.1.2. */
function fingerprint({ subjectPublicKey }: SubjectPublicKeyInfo): Buffer {
  return createHash("sha1").update(new Uint8Array(subjectPublicKey)).digest()
}

function critical(extnID: string, value: object): Extension {
  return Object.assign(extension(extnID, value), { critical: true })
}

function extension(extnID: string, value: object): Extension {
  return new Extension({ extnID, extnValue: new OctetString(AsnConvert.serialize(value)) })
}
