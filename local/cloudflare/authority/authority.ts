import "reflect-metadata"
import { X509Certificate, createPrivateKey, randomBytes } from "node:crypto"
import type { KeyObject, webcrypto } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import * as x509 from "@peculiar/x509"

import { writeAtomically } from "../../daemon/atomic-write.ts"
import { ProcessStartError } from "../../daemon/process-start-error.ts"
import { account } from "../seed.ts"
import { nameConstraints } from "./name-constraints.ts"

export type Authority = {
  /** The certificate to trust. */
  file: string
  /** A certificate and its key, in PEM; the same key for every hostname. */
  issue(hostname: string): Promise<{ cert: string; key: string }>
}

/** Names that no one on the internet can own, and this account's own under workers.dev. */
const domains = ["test", "localhost", `${account.workersDevelopmentSubdomain}.workers.dev`] as const

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const day = 24 * 60 * 60 * 1000
/** Milliseconds. Clients reject server certificates valid for more than about 13 months. */
const validity = { authority: 3650 * day, leaf: 397 * day, skew: day }

/**
 * Opens the authority in `directory`. Creates one when there is none, or when the present one expires
 * sooner than a new server certificate would.
 *
 * @throws ProcessStartError STATE_CORRUPT
 */
export async function openAuthority(directory: string): Promise<Authority> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const file = join(directory, "ca.pem")
  const keyFile = join(directory, "key.pem")
  const { certificate, key } = read(file, keyFile) ?? (await create(file, keyFile))
  const signingKey = key.toCryptoKey(algorithm, false, ["sign"])
  const keys = await generateKeys()
  const leafKey = await toPem(keys.privateKey)

  return {
    file,
    async issue(hostname) {
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
      return { cert: `${leaf.toString("pem")}\n`, key: leafKey }
    },
  }
}

type Opened = { certificate: x509.X509Certificate; key: KeyObject }

function read(file: string, keyFile: string): Opened | undefined {
  if (!existsSync(file) || !existsSync(keyFile)) return undefined
  chmodSync(keyFile, 0o600)
  try {
    const pem = readFileSync(file, "utf8")
    const key = createPrivateKey(readFileSync(keyFile, "utf8"))
    const known = new X509Certificate(pem)
    // A process killed between the two writes leaves a key and a certificate that do not match.
    if (!known.checkPrivateKey(key)) return undefined
    if (known.validToDate.getTime() - Date.now() < validity.leaf) return undefined
    return { certificate: new x509.X509Certificate(pem), key }
  } catch (cause) {
    throw new ProcessStartError(
      "STATE_CORRUPT",
      `${file} and ${keyFile} can't be read. Remove both: the next start creates a new authority, which clients then have to trust instead`,
      { cause },
    )
  }
}

async function create(file: string, keyFile: string): Promise<Opened> {
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
  const key = await toPem(keys.privateKey)
  writeAtomically(keyFile, key)
  writeAtomically(file, `${certificate.toString("pem")}\n`)
  return { certificate, key: createPrivateKey(key) }
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
