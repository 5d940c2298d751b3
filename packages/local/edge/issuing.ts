import "reflect-metadata"
import { createPrivateKey, randomBytes, type webcrypto } from "node:crypto"

import { AsnConvert } from "@peculiar/asn1-schema"
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  NameConstraints,
  id_ce_nameConstraints,
} from "@peculiar/asn1-x509"
import * as x509 from "@peculiar/x509"

import { account } from "../state/seed.ts"

/** A certificate and its private key. */
export type Pem = { cert: string; key: string }

const day = 24 * 60 * 60 * 1000

/** In milliseconds. Clients reject server certificates that are valid for more than about 13 months. */
export const validity = { authority: 3650 * day, leaf: 397 * day, skew: day }

/** Domains that no other party can own: reserved names, and this account's subdomain of workers.dev. */
const domains = ["test", "localhost", `${account.workersDevelopmentSubdomain}.workers.dev`]

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** Creates a function that issues certificates for hostnames, signed by an authority. */
export async function issuerOf(pem: Pem): Promise<(hostname: string) => Promise<Pem>> {
  const certificate = new x509.X509Certificate(pem.cert)
  const signingKey = createPrivateKey(pem.key).toCryptoKey(algorithm, false, ["sign"])
  const keys = await createKeys()
  const key = await toPem(keys.privateKey)
  return async (hostname) => {
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      // Clients read the hostname from the extension; a common name is limited to 64 characters.
      subject: "CN=Accounts local Cloudflare",
      issuer: certificate.subjectName,
      ...between(validity.leaf - validity.skew),
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: "dns", value: hostname }]),
        await x509.AuthorityKeyIdentifierExtension.create(certificate),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    })
    return { cert: `${leaf.toString("pem")}\n`, key }
  }
}

/** Creates the certificate and key of a new authority. */
export async function createRoot(): Promise<Pem> {
  const keys = await createKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // Every state directory has its own authority; trust stores tell them apart by name.
    name: `CN=Accounts local Cloudflare authority ${randomBytes(4).toString("hex")}`,
    ...between(validity.authority),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(nameConstraints())),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${certificate.toString("pem")}\n`, key: await toPem(keys.privateKey) }
}

/**
 * Limits an authority to `domains` and their subdomains: clients reject its certificates for any other
 * name and for every IP address. RFC 5280, 4.2.1.10.
 */
function nameConstraints(): NameConstraints {
  const permitted = domains.map((dNSName) => new GeneralName({ dNSName }))
  const excluded = ["0.0.0.0/0", "::/0"].map((iPAddress) => new GeneralName({ iPAddress }))
  const subtrees = (names: GeneralName[]) =>
    new GeneralSubtrees(names.map((base) => new GeneralSubtree({ base })))
  return new NameConstraints({
    permittedSubtrees: subtrees(permitted),
    excludedSubtrees: subtrees(excluded),
  })
}

/** @param lifetime milliseconds from now */
function between(lifetime: number) {
  const now = Date.now()
  return { notBefore: new Date(now - validity.skew), notAfter: new Date(now + lifetime) }
}

function createKeys() {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`
}

/** Returns 16 random bytes whose first bit is 0: RFC 5280 requires a positive, unique number. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString("hex")
}
