import { createSecureContext } from "node:tls"
import type { SecureContext } from "node:tls"

import type { Authority } from "./authority.ts"
import type { Pem } from "./pem.ts"

/** Hostnames: a wildcard route matches any number of them. */
const cacheSize = 500

const namePattern = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*$/

/** Undefined for an unknown or malformed hostname. */
export type Certificates = (hostname: string) => SecureContext | undefined

export function createCertificates(
  authority: Authority,
  isKnown: (hostname: string) => boolean,
): Certificates {
  const contexts = new Map<string, SecureContext>()

  return (sent) => {
    const hostname = sent.toLowerCase()
    if (!namePattern.test(hostname) || !isKnown(hostname)) return undefined
    const context = contexts.get(hostname) ?? contextOf(authority.issue(hostname))
    contexts.delete(hostname)
    contexts.set(hostname, context)
    for (const oldest of [...contexts.keys()].slice(0, -cacheSize)) contexts.delete(oldest)
    return context
  }
}

/** Without `ca` Node would read all authorities of the internet, though nothing here asks clients for certificates. */
function contextOf(pem: Pem): SecureContext {
  return createSecureContext({ minVersion: "TLSv1.2", ca: [], ...pem })
}
