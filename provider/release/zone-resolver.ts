import { Resolver } from "node:dns/promises"

import * as z from "zod"

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
  system?: Pick<Resolver, "resolveNs" | "resolve4" | "resolve6">
  port?: number
}

type Answer = { addresses: string[] } | "absent"

const minute = 60_000
const tenSeconds = 10_000
/** What says that a name or a record does not exist, and not that nobody could be asked. */
const absences = new Set(["ENOTFOUND", "ENODATA"])

const Coded = z.object({ code: z.string() })

/**
 * Looks up a new host at its zone's own name servers. A resolver that is asked too early remembers for
 * up to an hour that the host does not exist (RFC 2308), and so do all that ask it.
 */
export function openZoneResolver(options: Options): () => Promise<Place> {
  const { host, zone, patience = minute, limit = tenSeconds, system = newResolver() } = options
  const { port = 53 } = options
  const begun = Date.now()
  let hopeless = false
  return async () => {
    if (hopeless) return { resolved: undefined }
    try {
      const servers = await serversOf(zone, system)
      const answer = await ask(servers, { host, port, system, limit })
      if (answer === "absent") {
        return { problem: `${host} does not exist yet at the name servers of ${zone}` }
      }
      const { addresses } = answer
      return {
        resolved: addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      }
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

/** Addresses of the zone's name servers. The zone exists, so nobody remembers otherwise. */
async function serversOf(zone: string, system: NonNullable<Options["system"]>): Promise<string[]> {
  const names = await system.resolveNs(zone)
  const addresses = await Promise.all(names.map((name) => addressesOf(system, name)))
  const found = addresses.flatMap((answer) => (answer === "absent" ? [] : answer.addresses))
  if (found.length > 0) return found
  throw new Error(`none of ${names.join(", ")} has an address`)
}

type Question = {
  host: string
  port: number
  limit: number
  system: NonNullable<Options["system"]>
}

/** Throws when no server answers. */
async function ask(servers: string[], { host, port, limit, system }: Question): Promise<Answer> {
  const zone = newResolver()
  zone.setServers(servers.map((address) => `${bracketed(address)}:${port}`))
  // What is asked then fails with ECANCELLED.
  const timer = setTimeout(() => zone.cancel(), limit)
  try {
    const answer = await addressesOf(zone, host)
    if (answer !== "absent") return answer
    // The host may be another name for one outside of the zone, about which these servers say nothing.
    const [target] = await orAbsent(zone.resolveCname(host))
    return target === undefined ? "absent" : await addressesOf(system, target)
  } finally {
    clearTimeout(timer)
  }
}

/** Throws when one kind of address was not answered and the other does not exist. */
async function addressesOf(
  resolver: Pick<Resolver, "resolve4" | "resolve6">,
  host: string,
): Promise<Answer> {
  const answers = await Promise.allSettled([
    orAbsent(resolver.resolve4(host)),
    orAbsent(resolver.resolve6(host)),
  ])
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (addresses.length > 0) return { addresses }
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason
  return "absent"
}

async function orAbsent(answer: Promise<string[]>): Promise<string[]> {
  try {
    return await answer
  } catch (error) {
    const { data } = Coded.safeParse(error)
    if (data !== undefined && absences.has(data.code)) return []
    throw error
  }
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address
}
