import { createSecureContext } from "node:tls"
import type { SecureContext } from "node:tls"

import type { Authority } from "./authority.ts"

/** How many hostnames are remembered: a wildcard route knows any number of them. */
const most = 500

const namePattern = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*$/

export type Certificates = (hostname: string) => Promise<SecureContext | undefined>

/** A certificate for each hostname that is known, made when it is first asked for. */
export function createCertificates(
  authority: Authority,
  isKnown: (hostname: string) => boolean,
): Certificates {
  const contexts = new Map<string, Promise<SecureContext>>()

  async function make(hostname: string) {
    return createSecureContext({ minVersion: "TLSv1.2", ...(await authority.issue(hostname)) })
  }

  return async (sent) => {
    const hostname = sent.toLowerCase()
    if (!namePattern.test(hostname) || !isKnown(hostname)) return undefined
    const context = contexts.get(hostname) ?? make(hostname)
    contexts.delete(hostname)
    contexts.set(hostname, context)
    for (const oldest of [...contexts.keys()].slice(0, -most)) contexts.delete(oldest)
    return context
  }
}
