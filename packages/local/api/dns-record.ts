import { randomBytes } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Zone } from "../state/seed.ts"
import { type State, jsonColumn } from "../state/state.ts"
import { requireZone } from "./account.ts"
import { ApiError, body, code, noQuery, pageOf, paging, query, success } from "./envelope.ts"

const DnsRecord = z.object({
  id: z.string(),
  zone_id: z.string(),
  /** In lower case. A name that begins with `*.` is a wildcard. */
  name: z.string(),
  type: z.enum(["A", "AAAA", "CNAME", "MX", "TXT"]),
  content: z.string(),
  /** Seconds; 1 is automatic. */
  ttl: z.number(),
  proxied: z.coerce.boolean(),
  priority: z.number().nullable(),
  comment: z.string().nullable(),
  tags: jsonColumn(z.array(z.string())),
  created_on: z.string(),
  modified_on: z.string(),
  /** The script whose custom domain created the record, which is then read-only; else null. */
  worker: z.string().nullable().default(null),
})
export type DnsRecord = z.infer<typeof DnsRecord>

/** Lists the records of a zone by name, including the records of its custom domains. */
export function listDnsRecords(state: State, zoneId: string): DnsRecord[] {
  const stored = state.list(DnsRecord, "SELECT * FROM dns_record WHERE zone_id = ?", zoneId)
  const managed = listDomains(state).filter((domain) => domain.zone_id === zoneId)
  return [
    ...stored,
    ...managed.map(({ id, hostname, service, attached_on }) => ({
      id: `${id.slice(0, 28)}d0a1`,
      zone_id: zoneId,
      name: hostname,
      // vite-flare-starter#54, dnscontrol#4907
      type: "AAAA" as const,
      content: discardAddress,
      ttl: 1,
      proxied: true,
      priority: null,
      comment: null,
      tags: [],
      created_on: attached_on,
      modified_on: attached_on,
      worker: service,
    })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** IPv6's discard prefix: Cloudflare's placeholder for a host without an origin. */
const discardAddress = "100::"

function insertDnsRecord(state: State, { worker: _worker, ...record }: DnsRecord) {
  state.insert("dns_record", record)
}

export function deleteDnsRecord(state: State, id: string) {
  state.run("DELETE FROM dns_record WHERE id = ?", id)
}

/** Lists the editable address records of a name: a custom domain conflicts with them. */
export function listAddressRecords(state: State, zoneId: string, name: string): DnsRecord[] {
  return listDnsRecords(state, zoneId).filter(
    (record) => record.worker === null && record.name === name && isAddress(record),
  )
}

function isAddress({ type }: Pick<DnsRecord, "type">): boolean {
  return type === "A" || type === "AAAA" || type === "CNAME"
}

/**
 * Creates a function that resolves hosts of a zone: `proxied` if requests reach the edge, `dns-only` if they reach
 * another server, `none` if the name does not resolve. A wildcard matches as in RFC 4592: the name must not exist, and
 * its closest existing parent must be the wildcard's parent. Example:
 * `createHostResolver(listDnsRecords(state, zone.id))("api.example.com")`.
 */
export function createHostResolver(
  records: Pick<DnsRecord, "name" | "type" | "proxied">[],
): (hostname: string) => "proxied" | "dns-only" | "none" {
  const byName = Map.groupBy(records, ({ name }) => name)
  const existing = new Set(records.flatMap(({ name }) => withParents(name)))
  return (hostname) => {
    const addresses = (byName.get(covering(hostname)) ?? []).filter(isAddress)
    if (addresses.length === 0) return "none"
    return addresses.some(({ proxied }) => proxied) ? "proxied" : "dns-only"
  }

  function covering(hostname: string): string {
    if (existing.has(hostname)) return hostname
    const encloser = withParents(hostname).find((name) => existing.has(name))
    return `*.${encloser ?? ""}`
  }
}

/** Returns `a.b.c`, `b.c` and `c` for `a.b.c`. */
function withParents(name: string): string[] {
  const labels = name.split(".")
  return labels.map((_, index) => labels.slice(index).join("."))
}

const shared = {
  name: z.string().min(1).max(255),
  ttl: z.union([z.literal(1), z.int().min(60).max(86_400)]).default(1),
  proxied: z.boolean().default(false),
  comment: z.string().nullish(),
  tags: z.array(z.string()).default([]),
}
const RecordInput = z.discriminatedUnion("type", [
  z.strictObject({ ...shared, type: z.literal("A"), content: z.ipv4() }),
  z.strictObject({ ...shared, type: z.literal("AAAA"), content: z.ipv6() }),
  z.strictObject({ ...shared, type: z.literal("CNAME"), content: z.hostname() }),
  z.strictObject({ ...shared, type: z.literal("TXT"), content: z.string() }),
  z.strictObject({
    ...shared,
    type: z.literal("MX"),
    content: z.hostname(),
    priority: z.int().min(0).max(65_535),
  }),
])
const List = z.strictObject({
  ...paging,
  name: z.string().optional(),
  "name.exact": z.string().optional(),
  type: z.string().optional(),
  content: z.string().optional(),
  "content.exact": z.string().optional(),
  proxied: z.stringbool().optional(),
  order: z.enum(["type", "name", "content", "ttl", "proxied"]).default("type"),
  direction: z.enum(["asc", "desc"]).default("asc"),
})

/**
 * `zones/{zone}/dns_records`. A repeated create fails with 81058, delete with 81044. Records of domains are read-only.
 */
export function dnsRecordApi({ state, live }: { state: State; live: { refresh(): void } }) {
  const app = new Hono()

  app.get("/:zone/dns_records", (c) => {
    const zone = requireZone(c.req.param("zone"))
    const { page, per_page, order, direction, ...filter } = query(c, List)
    const matching = listDnsRecords(state, zone.id)
      .filter(
        (record) =>
          is(record.name, filter.name ?? filter["name.exact"]) &&
          is(record.type, filter.type) &&
          is(record.content, filter.content ?? filter["content.exact"]) &&
          (filter.proxied ?? record.proxied) === record.proxied,
      )
      .toSorted((a, b) => String(a[order]).localeCompare(String(b[order])))
    const sorted = direction === "asc" ? matching : matching.toReversed()
    return c.json(pageOf(sorted.map(view), { page, per_page }, { totalPages: true }))
  })

  app.post("/:zone/dns_records", noQuery, async (c) => {
    const zone = requireZone(c.req.param("zone"))
    const now = new Date().toISOString()
    const input = await body(c, RecordInput)
    const record: DnsRecord = {
      id: randomBytes(16).toString("hex"),
      zone_id: zone.id,
      name: fullName(input.name, zone),
      type: input.type,
      content: input.content,
      ttl: input.proxied ? 1 : input.ttl,
      proxied: input.proxied,
      priority: input.type === "MX" ? input.priority : null,
      comment: input.comment ?? null,
      tags: input.tags,
      created_on: now,
      modified_on: now,
      worker: null,
    }
    if (record.proxied && !isAddress(record)) throw invalid("This record type cannot be proxied.")
    state.transaction(() => {
      refuseConflict(record, listDnsRecords(state, zone.id))
      insertDnsRecord(state, record)
    })
    live.refresh()
    return c.json(success(view(record)))
  })

  app.delete("/:zone/dns_records/:record", noQuery, (c) => {
    const { id } = requireOwn(requireZone(c.req.param("zone")), c.req.param("record"))
    state.transaction(() => deleteDnsRecord(state, id))
    live.refresh()
    return c.json(success({ id }))
  })

  function requireOwn(zone: Zone, id: string): DnsRecord {
    const record = listDnsRecords(state, zone.id).find((dnsRecord) => dnsRecord.id === id)
    if (record === undefined) throw new ApiError(404, code.noDnsRecord, "Record does not exist.")
    if (record.worker === null) return record
    throw invalid(`This record is read only: it belongs to the Worker '${record.worker}'.`)
  }

  return app
}

function refuseConflict(record: DnsRecord, zoneRecords: DnsRecord[]) {
  const here = zoneRecords.filter(({ name }) => name === record.name)
  if (
    here.some((neighbour) => neighbour.type === record.type && neighbour.content === record.content)
  ) {
    throw new ApiError(400, code.sameDnsRecord, "An identical record already exists.")
  }
  if (!isAddress(record)) return
  if (here.some(({ worker }) => worker !== null)) {
    const message = "A DNS record managed by Workers already exists on that host."
    throw new ApiError(400, code.workersDnsRecord, message)
  }
  const addresses = here.filter(isAddress)
  if (addresses.length === 0) return
  if (record.type !== "CNAME" && addresses.every(({ type }) => type !== "CNAME")) return
  const message = "An A, AAAA, or CNAME record with that host already exists."
  throw new ApiError(400, code.addressDnsRecord, message)
}

/** Returns the full name: `@` is the zone itself, and a name that does not end with the zone is relative to it. */
function fullName(name: string, zone: Zone): string {
  const lower = name.toLowerCase()
  if (lower === "@" || lower === zone.name) return zone.name
  return lower.endsWith(`.${zone.name}`) ? lower : `${lower}.${zone.name}`
}

function invalid(message: string): ApiError {
  return new ApiError(400, code.invalidDnsRecord, message)
}

function is(value: string, filter: string | undefined): boolean {
  return filter === undefined || filter.toLowerCase() === value.toLowerCase()
}

function view({ zone_id: _zone, priority, worker, ...record }: DnsRecord) {
  return {
    ...record,
    proxiable: isAddress(record),
    settings: {},
    meta: worker === null ? {} : { origin_worker_id: worker, read_only: true },
    ...(priority !== null && { priority }),
  }
}

const Domain = z.object({
  id: z.string(),
  hostname: z.string(),
  zone_id: z.string(),
  cert_id: z.string(),
  worker_id: z.string(),
  service: z.string(),
  attached_on: z.string(),
})
export type Domain = z.infer<typeof Domain>

const select =
  "SELECT domain.*, worker.name AS service FROM domain JOIN worker ON worker.id = worker_id"

export function listDomains(state: State): Domain[] {
  return state.list(Domain, `${select} ORDER BY hostname`)
}

export function findDomain(state: State, id: string): Domain | undefined {
  return state.find(Domain, `${select} WHERE domain.id = ?`, id)
}

export function findDomainByHostname(state: State, hostname: string): Domain | undefined {
  return state.find(Domain, `${select} WHERE hostname = ?`, hostname)
}

/** Attaches a hostname to a Worker, or moves it from another Worker. */
export function attachDomain(state: State, domain: Omit<Domain, "service" | "attached_on">) {
  state.insert(
    "domain",
    { ...domain, attached_on: new Date().toISOString() },
    "ON CONFLICT (hostname) DO UPDATE SET worker_id = excluded.worker_id",
  )
}

export function detachDomain(state: State, id: string) {
  state.run("DELETE FROM domain WHERE id = ?", id)
}
