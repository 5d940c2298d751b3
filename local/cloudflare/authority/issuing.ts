import "reflect-metadata"
import { createPrivateKey, randomBytes } from "node:crypto"
import type { webcrypto } from "node:crypto"

import * as x509 from "@peculiar/x509"

import { account } from "../seed.ts"
import type { Pem } from "./authority.ts"
import { nameConstraints } from "./name-constraints.ts"
import { validity } from "./validity.ts"

/** Names that no one on the internet can own, and this account's own under workers.dev. */
const domains = ["test", "localhost", `${account.workersDevelopmentSubdomain}.workers.dev`] as const

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** Issues certificates for hostnames in the name of an authority. */
export async function issuerOf(own: Pem): Promise<(hostname: string) => Promise<Pem>> {
  const certificate = new x509.X509Certificate(own.cert)
  const signingKey = createPrivateKey(own.key).toCryptoKey(algorithm, false, ["sign"])
  const keys = await generateKeys()
  const key = await toPem(keys.privateKey)
  return async (hostname) => {
    const now = Date.now()
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      // Clients read the hostname from the extension; a common name is limited to 64 characters.
      subject: "CN=Accounts local Cloudflare",
      issuer: certificate.subject,
      notBefore: new Date(now - validity.skew),
      notAfter: new Date(now + validity.leaf - validity.skew),
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

/** A new authority's own certificate and key. */
export async function createRoot(): Promise<Pem> {
  const keys = await generateKeys()
  const now = Date.now()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // Every state directory has its own authority; trust stores tell them apart by name.
    name: `CN=Accounts local Cloudflare authority ${randomBytes(4).toString("hex")}`,
    notBefore: new Date(now - validity.skew),
    notAfter: new Date(now + validity.authority),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      nameConstraints(domains),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${certificate.toString("pem")}\n`, key: await toPem(keys.privateKey) }
}

async function generateKeys() {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`
}

/** Positive and unique, as RFC 5280 requires: 16 random bytes whose first bit is 0. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString("hex")
}
