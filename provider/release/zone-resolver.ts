import { Resolver } from "node:dns/promises"
import { isIP, isIPv6 } from "node:net"

import { messageOf } from "../../base/failure.ts"
import type { Resolved } from "./service-request.ts"

/** Where to connect; without an address the system's resolver is asked. */
type Place = { resolved: Resolved | undefined } | { problem: string }

type Options = {
  host: string
  zone: string
  /** Milliseconds before the system's resolver is asked because the zone's servers cannot be. */
  patience?: number
  /** Milliseconds for all of the zone's servers together: a firewall lets each of them time out. */
  limit?: number
  /** Knows the zone itself, but is never asked for the host. */
  system?: Resolver
  port?: number
}

const minute = 60_000
const tenSeconds = 10_000
/** What says that a name or a record does not exist, and not that nobody could be asked. */
const absence = /^(?:ENOTFOUND|ENODATA)$/

/**
 * Looks up a new host at its zone's own name servers. A resolver that is asked too early remembers for
 * up to an hour that the host does not exist (RFC 2308), and so do all that ask it.
 */
export function openZoneResolver(options: Options): () => Promise<Place> {
  const { host, zone, patience = minute } = options
  const begun = Date.now()
  let hopeless = false
  return async () => {
    if (hopeless) return { resolved: undefined }
    try {
      const addresses = await ask(options)
      if (addresses.length === 0) {
        return { problem: `${host} does not exist yet at the name servers of ${zone}` }
      }
      return { resolved: addresses.map((address) => ({ address, family: isIP(address) })) }
    } catch (error) {
      hopeless = Date.now() - begun >= patience
      if (hopeless) return { resolved: undefined }
      const wait = `the system's resolver is asked for ${host} after ${patience / 1000} s`
      return {
        problem: `the name servers of ${zone} cannot be reached (${messageOf(error)}); ${wait}`,
      }
    }
  }
}

function newResolver(): Resolver {
  return new Resolver({ timeout: 2000, tries: 2 })
}

/** Addresses of the host; none if it does not exist. Throws when no server answers. */
async function ask(options: Options): Promise<string[]> {
  const { host, zone, limit = tenSeconds, system = newResolver(), port = 53 } = options
  // The zone exists, so nobody remembers otherwise.
  const names = await system.resolveNs(zone)
  const servers = await Promise.all(names.map((name) => addressesOf(system, name)))
  if (servers.flat().length === 0) throw new Error(`none of ${names.join(", ")} has an address`)
  const zones = newResolver()
  zones.setServers(
    servers.flat().map((server) => `${isIPv6(server) ? `[${server}]` : server}:${port}`),
  )
  // What is asked then fails with ECANCELLED.
  const timer = setTimeout(() => zones.cancel(), limit)
  try {
    const addresses = await addressesOf(zones, host)
    if (addresses.length > 0) return addresses
    // The host may be another name for one outside of the zone, about which these servers say nothing.
    const [target] = await orNone(zones.resolveCname(host))
    return target === undefined ? [] : await addressesOf(system, target)
  } finally {
    clearTimeout(timer)
  }
}

/** Throws when one kind of address was not answered and the other does not exist. */
async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const answers = await Promise.allSettled([
    orNone(resolver.resolve4(host)),
    orNone(resolver.resolve6(host)),
  ])
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  const refused = answers.find(({ status }) => status === "rejected")
  if (addresses.length === 0 && refused?.status === "rejected") throw refused.reason
  return addresses
}

async function orNone(answer: Promise<string[]>): Promise<string[]> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && "code" in error && absence.test(String(error.code))) return []
    throw error
  }
}
