import * as z from "zod"

import { jsonColumn, type State } from "../state/state.ts"
import { listDomains } from "../triggers/domain.store.ts"

const DnsRecord = z.object({
  id: z.string(),
  zone_id: z.string(),
  /** In lower case; `*.` stands for every name below that has no record of its own. */
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
  /** The script whose custom domain made the record; null for one that can be edited. */
  worker: z.string().nullable().default(null),
})
export type DnsRecord = z.infer<typeof DnsRecord>

/** The records of a zone, those of its custom domains included, by name. */
export function listDnsRecords(state: State, zoneId: string): DnsRecord[] {
  const own = state.list(DnsRecord, "SELECT * FROM dns_record WHERE zone_id = ?", zoneId)
  const managed = listDomains(state).filter((domain) => domain.zone_id === zoneId)
  return [
    ...own,
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

export function insertDnsRecord(state: State, { worker: _worker, ...record }: DnsRecord) {
  state.insert("dns_record", record)
}

export function deleteDnsRecord(state: State, id: string) {
  state.run("DELETE FROM dns_record WHERE id = ?", id)
}

/** Records of their own at a name that make it a website, which a custom domain conflicts with. */
export function listAddressRecords(state: State, zoneId: string, name: string): DnsRecord[] {
  return listDnsRecords(state, zoneId).filter(
    (record) => record.worker === null && record.name === name && isAddress(record),
  )
}

export function isAddress({ type }: Pick<DnsRecord, "type">): boolean {
  return type === "A" || type === "AAAA" || type === "CNAME"
}

/**
 * What a zone says about a host: `proxied` when requests for it reach the edge, `dns-only` when they
 * go elsewhere, `none` when the name does not resolve. A wildcard stands for a name that neither
 * exists nor lies below one that does (RFC 4592). Pure, so that a table of records decides without
 * the state: `createHostResolver(listDnsRecords(state, zone.id))("api.example.com")`.
 */
export function createHostResolver(
  records: Pick<DnsRecord, "name" | "type" | "proxied">[],
): (hostname: string) => "proxied" | "dns-only" | "none" {
  const byName = Map.groupBy(records, ({ name }) => name)
  const existing = new Set(records.flatMap(({ name }) => withParents(name)))
  return (hostname) => {
    const found = (byName.get(covering(hostname)) ?? []).filter(isAddress)
    if (found.length === 0) return "none"
    return found.some(({ proxied }) => proxied) ? "proxied" : "dns-only"
  }

  function covering(hostname: string): string {
    if (existing.has(hostname)) return hostname
    const encloser = withParents(hostname).find((name) => existing.has(name))
    return `*.${encloser ?? ""}`
  }
}

/** `a.b.c`, `b.c`, `c`. */
function withParents(name: string): string[] {
  const labels = name.split(".")
  return labels.map((_, index) => labels.slice(index).join("."))
}
