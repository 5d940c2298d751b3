import { randomBytes } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, pageOf, paging, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { Zone } from "../seed.ts"
import type { DnsRecord } from "./dns-record.store.ts"
import { deleteDnsRecord, isAddress, listDnsRecords, insertDnsRecord } from "./dns-record.store.ts"
import { requireZone } from "./zone.api.ts"

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
 * `zones/{zone}/dns_records`. Repeats: create fails with 81058, delete fails with 81044. Records of custom domains are listed and can't be changed.
 */
export function dnsRecordApi({ state, live }: Pick<Control, "state" | "live">) {
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
    const sent = await body(c, RecordInput)
    const record: DnsRecord = {
      id: randomBytes(16).toString("hex"),
      zone_id: zone.id,
      name: fullName(sent.name, zone),
      type: sent.type,
      content: sent.content,
      ttl: sent.proxied ? 1 : sent.ttl,
      proxied: sent.proxied,
      priority: sent.type === "MX" ? sent.priority : null,
      comment: sent.comment ?? null,
      tags: sent.tags,
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
    const record = listDnsRecords(state, zone.id).find((one) => one.id === id)
    if (record === undefined) throw new ApiError(404, code.noDnsRecord, "Record does not exist.")
    if (record.worker === null) return record
    throw invalid(`This record is read only: it belongs to the Worker '${record.worker}'.`)
  }

  return app
}

function refuseConflict(record: DnsRecord, others: DnsRecord[]) {
  const here = others.filter(({ name }) => name === record.name)
  if (here.some((one) => one.type === record.type && one.content === record.content)) {
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

/** `@` is the zone itself; a name outside the zone is relative to it. */
function fullName(name: string, zone: Zone): string {
  const lower = name.toLowerCase()
  if (lower === "@" || lower === zone.name) return zone.name
  return lower.endsWith(`.${zone.name}`) ? lower : `${lower}.${zone.name}`
}

function invalid(message: string): ApiError {
  return new ApiError(400, code.invalidDnsRecord, message)
}

function is(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || wanted.toLowerCase() === value.toLowerCase()
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
