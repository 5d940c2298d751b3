import { X509Certificate, createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto"
import type { KeyObject } from "node:crypto"

import { account } from "../seed.ts"
import { certificate, commonName } from "./certificate.ts"
import { fieldTag, partsOf } from "./der.ts"
import * as extensions from "./extensions.ts"
import type { Pem } from "./pem.ts"
import { validity } from "./validity.ts"

/** Names that no one on the internet can own, and this account's own under workers.dev. */
const domains = ["test", "localhost", `${account.workersDevelopmentSubdomain}.workers.dev`] as const

/** Issues certificates for hostnames in the name of an authority. */
export function issuerOf(own: Pem): (hostname: string) => Pem {
  const root = new X509Certificate(own.cert)
  const issuer = subjectOf(root)
  const signingKey = createPrivateKey(own.key)
  const { publicKey, privateKey } = generateKeys()
  const key = toPem(privateKey)
  return (hostname) => {
    const now = Date.now()
    const cert = certificate({
      issuer,
      // Clients read the hostname from the extension; a common name is limited to 64 characters.
      subject: commonName("Accounts local Cloudflare"),
      notBefore: now - validity.skew,
      notAfter: now + validity.leaf - validity.skew,
      publicKey,
      signingKey,
      extensions: [
        extensions.noAuthority(),
        extensions.keyUsage("digitalSignature"),
        extensions.forServers(),
        extensions.alternativeName(hostname),
        extensions.authorityKey(root.publicKey),
        extensions.subjectKey(publicKey),
      ],
    })
    return { cert, key }
  }
}

/** A new authority's own certificate and key. */
export function createRoot(): Pem {
  const { publicKey, privateKey } = generateKeys()
  // Every state directory has its own authority; trust stores tell them apart by name.
  const name = commonName(`Accounts local Cloudflare authority ${randomBytes(4).toString("hex")}`)
  const now = Date.now()
  const cert = certificate({
    issuer: name,
    subject: name,
    notBefore: now - validity.skew,
    notAfter: now + validity.authority,
    publicKey,
    signingKey: privateKey,
    extensions: [
      extensions.authorityConstraints(),
      extensions.keyUsage("certificateSigning"),
      extensions.nameConstraints(domains),
      extensions.subjectKey(publicKey),
    ],
  })
  return { cert, key: toPem(privateKey) }
}

/** The name of a certificate as it stands there, which has to be that of the issuer in others. */
function subjectOf({ raw }: X509Certificate): Buffer {
  const [content = Buffer.alloc(0)] = partsOf(raw)
  const fields = partsOf(content).filter(([type]) => type !== fieldTag(0))
  const [, , , , subject = Buffer.alloc(0)] = fields
  return subject
}

function generateKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" })
}

function toPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString()
}
