import { createHash, randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { type Zone, zoneOf, zones } from "../state/seed.ts"
import type { State } from "../state/state.ts"
import type { Control } from "./control.ts"
import {
  type Domain,
  attachDomain,
  deleteDnsRecord,
  detachDomain,
  findDomain,
  findDomainByHostname,
  listAddressRecords,
  listDomains,
} from "./dns-record.ts"
import { ApiError, body, code, done, noQuery, pageOf, paging, query, success } from "./envelope.ts"
import { type Worker, requireWorker } from "./worker.ts"

const Attachment = z.strictObject({
  hostname: z.hostname().transform((hostname) => hostname.toLowerCase()),
  service: z.string(),
  environment: z.literal("production").optional(),
  zone_id: z.string().optional(),
  zone_name: z.string().optional(),
  override_existing_origin: z.boolean().default(false),
  override_existing_dns_record: z.boolean().default(false),
})
const List = z.strictObject({
  ...paging,
  zone_id: z.string().optional(),
  zone_name: z.string().optional(),
  service: z.string().optional(),
  hostname: z.string().optional(),
  environment: z.literal("production").optional(),
})

/**
 * `accounts/{account}/workers/domains`. A repeated put returns the same domain, or fails with 100116 for another
 * Worker. A repeated delete fails with 100114. A hostname with address records fails with 100117. Attaching creates a
 * read-only record, which is deleted with the domain.
 */
export function domains({ state, live }: Control) {
  const app = new Hono()

  app.get("/", (c) => {
    const { page, per_page, ...filter } = query(c, List)
    const matching = listDomains(state)
      .map(domainView)
      .filter((domain) =>
        Object.entries(filter).every(
          ([key, filterValue]) =>
            filterValue === undefined || new Map(Object.entries(domain)).get(key) === filterValue,
        ),
      )
    return c.json(pageOf(matching, { page, per_page }, { totalPages: true }))
  })

  app.put("/", noQuery, async (c) => {
    const { hostname, service, zone_id, zone_name, ...overrides } = await body(c, Attachment)
    const zone = requireZoneOf(hostname)
    if ((zone_id ?? zone.id) !== zone.id || (zone_name ?? zone.name) !== zone.name) {
      throw outside(hostname, zone_name ?? zone_id ?? zone.name)
    }
    const worker = requireWorker(state, service)
    const attached = state.transaction(() => {
      attach(state, { hostname, zone, worker, ...overrides })
      return findDomainByHostname(state, hostname)
    })
    live.refresh()
    return c.json(success(attached && domainView(attached)))
  })

  app.get("/:domain", noQuery, (c) =>
    c.json(success(domainView(requireDomain(c.req.param("domain"))))),
  )

  app.delete("/:domain", noQuery, (c) => {
    const { id } = requireDomain(c.req.param("domain"))
    state.transaction(() => detachDomain(state, id))
    live.refresh()
    return c.json(done)
  })

  function requireDomain(id: string): Domain {
    const domain = findDomain(state, id)
    if (domain !== undefined) return domain
    throw new ApiError(404, code.noDomain, `There is no custom domain ${id}`)
  }

  return app
}

type Attaching = {
  hostname: string
  zone: Zone
  worker: Worker
  override_existing_origin: boolean
  override_existing_dns_record: boolean
}

/** @throws ApiError 100116 or 100117, with Cloudflare's texts as quoted in deploy logs */
function attach(state: State, { hostname, zone, worker, ...override }: Attaching) {
  const old = findDomainByHostname(state, hostname)
  if (old !== undefined && old.worker_id !== worker.id && !override.override_existing_origin) {
    const message = `Hostname '${hostname}' already in use by other custom domain. Either delete it, try a different hostname, or use the option 'override_existing_origin' to override.`
    throw new ApiError(409, code.hostnameTaken, message)
  }
  const records = listAddressRecords(state, zone.id, hostname)
  if (records.length > 0 && !override.override_existing_dns_record) {
    const message = `Hostname '${hostname}' already has externally managed DNS records (A, CNAME, etc). Either delete them, try a different hostname, or use the option 'override_existing_dns_record' to override.`
    throw new ApiError(409, code.existingDnsRecord, message)
  }
  for (const { id } of records) deleteDnsRecord(state, id)
  attachDomain(state, { ...newDomain(hostname, zone), worker_id: worker.id })
}

/** Derives the id from the hostname, so that a repeated put returns the same domain. */
function newDomain(hostname: string, zone: Zone) {
  return {
    id: createHash("sha256").update(`domain:${hostname}`).digest("hex").slice(0, 32),
    hostname,
    zone_id: zone.id,
    cert_id: randomUUID(),
  }
}

function requireZoneOf(hostname: string): Zone {
  const zone = zoneOf(hostname)
  if (zone !== undefined) return zone
  throw outside(hostname, zones.map(({ name }) => name).join(" or "))
}

/** The code is assumed: Cloudflare's is unknown. */
function outside(hostname: string, zoneName: string): ApiError {
  const message = `${hostname} is not in the zone ${zoneName} of this account`
  return new ApiError(400, code.badMetadata, message)
}

function domainView({ id, hostname, zone_id, cert_id, service }: Domain) {
  return {
    id,
    hostname,
    service,
    environment: "production",
    zone_id,
    zone_name: zones.find((zone) => zone.id === zone_id)?.name ?? "",
    cert_id,
  }
}
