import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto"
import type { KeyObject } from "node:crypto"

import { AsnConvert } from "@peculiar/asn1-schema"
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  Extensions,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509"
import type { Extension } from "@peculiar/asn1-x509"

import { account } from "../seed.ts"
import type { Pem } from "./authority.ts"
import { authorityExtensions, serverExtensions } from "./extensions.ts"
import { validity } from "./validity.ts"

/** Names that no one on the internet can own, and this account's own under workers.dev. */
const domains = ["test", "localhost", `${account.workersDevelopmentSubdomain}.workers.dev`] as const

const identifiers = { commonName: "2.5.4.3", ecdsaWithSha256: "1.2.840.10045.4.3.2" }

type Contents = {
  issuer: Name
  subject: Name
  publicKey: SubjectPublicKeyInfo
  /** Milliseconds from now. */
  lifetime: number
  extensions: Extension[]
}

/** Issues certificates for hostnames in the name of an authority. */
export function issuerOf(own: Pem): (hostname: string) => Pem {
  const { raw } = new X509Certificate(own.cert)
  const { subject: issuer, subjectPublicKeyInfo } = AsnConvert.parse(
    raw,
    Certificate,
  ).tbsCertificate
  const signingKey = createPrivateKey(own.key)
  const { publicKey, key } = createKeys()
  return (hostname) => {
    const cert = createCertificate(signingKey, {
      issuer,
      // Clients read the hostname from the extension; a common name is limited to 64 characters.
      subject: commonName("Accounts local Cloudflare"),
      publicKey,
      lifetime: validity.leaf - validity.skew,
      extensions: serverExtensions(hostname, { subject: publicKey, issuer: subjectPublicKeyInfo }),
    })
    return { cert, key }
  }
}

/** A new authority's own certificate and key. */
export function createRoot(): Pem {
  const { privateKey, publicKey, key } = createKeys()
  // Every state directory has its own authority; trust stores tell them apart by name.
  const name = commonName(`Accounts local Cloudflare authority ${randomBytes(4).toString("hex")}`)
  const cert = createCertificate(privateKey, {
    issuer: name,
    subject: name,
    publicKey,
    lifetime: validity.authority,
    extensions: authorityExtensions(domains, publicKey),
  })
  return { cert, key }
}

function createCertificate(signingKey: KeyObject, contents: Contents): string {
  const now = Date.now()
  const algorithm = new AlgorithmIdentifier({ algorithm: identifiers.ecdsaWithSha256 })
  const { issuer, subject } = contents
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer,
    validity: new Validity({
      notBefore: new Date(now - validity.skew),
      notAfter: new Date(now + contents.lifetime),
    }),
    subject,
    subjectPublicKeyInfo: contents.publicKey,
    extensions: new Extensions(contents.extensions),
  })
  const signed = new Uint8Array(AsnConvert.serialize(tbsCertificate))
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: bufferOf(sign("sha256", signed, signingKey)),
  })
  return new X509Certificate(new Uint8Array(AsnConvert.serialize(certificate))).toString()
}

function createKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  return { privateKey, publicKey: AsnConvert.parse(spki, SubjectPublicKeyInfo), key }
}

function commonName(text: string): Name {
  const type = identifiers.commonName
  const value = new AttributeValue({ printableString: text })
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })])])
}

/** Positive and unique, as RFC 5280 requires: 16 random bytes whose first bit is 0. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bufferOf(bytes)
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
