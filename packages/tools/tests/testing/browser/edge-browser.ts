import { X509Certificate, createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "node:tls"

import type { Browser } from "playwright-core"

import { openBrowser } from "./browser.ts"

type Edge = {
  /** State directory, with the authority that signs the edge's certificates. */
  state: string
  edgeTls: string
  /** A name that the edge serves. */
  hostname: string
}

/** A browser for which the names of the local account lead to its https edge. */
export async function openEdgeBrowser(edge: Edge): Promise<Browser> {
  const { host } = new URL(edge.edgeTls)
  return await openBrowser(
    `MAP *.accounts.test ${host}, MAP *.workers.dev ${host}`,
    `--ignore-certificate-errors-spki-list=${await keyOf(edge)}`,
  )
}

/** Hash of the public key in the edge's certificate for a host, verified against the authority. */
async function keyOf({ state, edgeTls, hostname: servername }: Edge): Promise<string> {
  const { hostname, port } = new URL(edgeTls)
  const ca = readFileSync(join(state, "cloudflare", "authority", "ca.pem"))
  const socket = connect({ host: hostname, port: Number(port), servername, ca })
  await once(socket, "secureConnect")
  const certificate = new X509Certificate(socket.getPeerCertificate().raw)
  socket.destroy()
  const key = certificate.publicKey.export({ type: "spki", format: "der" })
  return createHash("sha256").update(key).digest("base64")
}
