import { X509Certificate, createPrivateKey } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { ProcessStartError } from "../daemon/listen.ts"
import { writeAtomically } from "../daemon/state-folder.ts"
import { type Pem, validity } from "./issuing.ts"

export type Authority = Awaited<ReturnType<typeof openAuthority>>

/**
 * Opens the authority in `directory`. Creates one when there is none, or when the present one expires
 * sooner than a new server certificate would.
 *
 * @throws ProcessStartError STATE_CORRUPT
 */
export async function openAuthority(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const file = join(directory, "ca.pem")
  const keyFile = join(directory, "key.pem")
  const pem = read(file, keyFile) ?? (await create(file, keyFile))
  let issuer: ReturnType<typeof loadIssuer> | undefined
  return {
    /** The certificate to trust. */
    file,
    /** A certificate and its key, in PEM; the same key for every hostname. */
    async issue(hostname: string): Promise<Pem> {
      issuer ??= loadIssuer(pem)
      const issue = await issuer
      return issue(hostname)
    },
  }
}

/** Loaded late: most runs neither create an authority nor take a request over HTTPS. */
function loadIssuing() {
  return import("./issuing.ts")
}

async function loadIssuer(pem: Pem) {
  const { issuerOf } = await loadIssuing()
  return issuerOf(pem)
}

function read(file: string, keyFile: string): Pem | undefined {
  if (!existsSync(file) || !existsSync(keyFile)) return undefined
  chmodSync(keyFile, 0o600)
  try {
    const [cert, key] = [readFileSync(file, "utf8"), readFileSync(keyFile, "utf8")]
    const certificate = new X509Certificate(cert)
    // A process killed between the two writes leaves a key and a certificate that do not match.
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return undefined
    if (certificate.validToDate.getTime() - Date.now() < validity.leaf) return undefined
    return { cert, key }
  } catch (cause) {
    throw new ProcessStartError(
      "STATE_CORRUPT",
      `${file} and ${keyFile} can't be read. Remove both: the next start creates a new authority, which clients then have to trust instead`,
      { cause },
    )
  }
}

async function create(file: string, keyFile: string): Promise<Pem> {
  const { createRoot } = await loadIssuing()
  const { cert, key } = await createRoot()
  writeAtomically(keyFile, key)
  writeAtomically(file, cert)
  return { cert, key }
}
