import { type SecureContext, createSecureContext } from "node:tls"

import type { Authority } from "./authority.ts"

/** Hostnames: a wildcard route matches any number of them. */
const cacheSize = 500

const namePattern = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*$/

/** Undefined for an unknown or malformed hostname. */
export type Certificates = (hostname: string) => Promise<SecureContext | undefined>

export function createCertificates(
  authority: Authority,
  isKnown: (hostname: string) => boolean,
): Certificates {
  const contexts = new Map<string, Promise<SecureContext>>()

  async function issue(hostname: string) {
    // Without `ca` Node would read all authorities of the internet, though nothing here asks clients for certificates.
    return createSecureContext({
      minVersion: "TLSv1.2",
      ca: [],
      ...(await authority.issue(hostname)),
    })
  }

  return async (sent) => {
    const hostname = sent.toLowerCase()
    if (!namePattern.test(hostname) || !isKnown(hostname)) return undefined
    const context = contexts.get(hostname) ?? issue(hostname)
    contexts.delete(hostname)
    contexts.set(hostname, context)
    for (const oldest of [...contexts.keys()].slice(0, -cacheSize)) contexts.delete(oldest)
    return context
  }
}
