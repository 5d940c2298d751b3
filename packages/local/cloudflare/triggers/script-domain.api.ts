import { Hono } from "hono"
import * as z from "zod"

import { listAddressRecords } from "../account/dns-record.store.ts"
import type { Control } from "../control.ts"
import { body, noQuery, query, success } from "../protocol/envelope.ts"
import { withWorkerLock } from "../workers/worker-lock.ts"
import { requireWorker } from "../workers/worker.store.ts"
import { attach, domainView, requireZoneOf } from "./domain.api.ts"
import { detachDomain, listDomains } from "./domain.store.ts"

const Origin = z.strictObject({
  hostname: z.hostname().transform((hostname) => hostname.toLowerCase()),
  zone_id: z.string().optional(),
  zone_name: z.string().optional(),
  enabled: z.literal(true).optional(),
  previews_enabled: z.literal(false).optional(),
})
const Records = z.strictObject({
  override_scope: z.boolean(),
  override_existing_origin: z.boolean(),
  override_existing_dns_record: z.boolean(),
  origins: z.array(Origin),
})
const ChangesetQuery = z.strictObject({ replace_state: z.stringbool() })

/**
 * `…/workers/scripts/{script}/domains`, used by wrangler: the list replaces the whole set of the
 * script's hostnames, so a repeat changes nothing. Another Worker's hostname is only moved with
 * `override_existing_origin`, a hostname with DNS records only taken with `override_existing_dns_record`.
 */
export function scriptDomains(control: Control) {
  const { state, live } = control
  const app = new Hono()

  app.post("/:script/domains/changeset", async (c) => {
    query(c, ChangesetQuery)
    const origins = await body(c, z.array(Origin))
    const worker = requireWorker(state, c.req.param("script"))
    const hostnames = new Set(origins.map(({ hostname }) => hostname))
    const known = listDomains(state)
    const added = origins.filter(({ hostname }) => known.every((one) => one.hostname !== hostname))
    return c.json(
      success({
        added,
        removed: known
          .filter((one) => one.worker_id === worker.id && !hostnames.has(one.hostname))
          .map(domainView),
        updated: known
          .filter(({ hostname }) => hostnames.has(hostname))
          .map((one) => Object.assign(domainView(one), { modified: one.worker_id !== worker.id })),
        // wrangler asks before it overrides their DNS records.
        conflicting: added.filter(({ hostname }) => {
          const { id } = requireZoneOf(hostname)
          return listAddressRecords(state, id, hostname).length > 0
        }),
      }),
    )
  })

  app.put("/:script/domains/records", noQuery, async (c) => {
    const { origins, override_scope: _, ...overrides } = await body(c, Records)
    const hostnames = origins.map(({ hostname }) => hostname)
    const result = await withWorkerLock(control, c.req.param("script"), async (worker) => {
      state.transaction(() => {
        for (const domain of listDomains(state)) {
          if (domain.worker_id === worker.id && !hostnames.includes(domain.hostname)) {
            detachDomain(state, domain.id)
          }
        }
        for (const hostname of hostnames) {
          attach(state, { hostname, zone: requireZoneOf(hostname), worker, ...overrides })
        }
      })
      live.refresh()
      return listDomains(state).filter((domain) => domain.worker_id === worker.id)
    })
    return c.json(success(result.map(domainView)))
  })

  return app
}
