import * as z from "zod"

import type { State } from "../state/state.ts"

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
  return state.all(`${select} ORDER BY hostname`).map((row) => Domain.parse(row))
}

export function findDomain(state: State, id: string): Domain | undefined {
  const row = state.get(`${select} WHERE domain.id = ?`, id)
  return row && Domain.parse(row)
}

export function findDomainByHostname(state: State, hostname: string): Domain | undefined {
  const row = state.get(`${select} WHERE hostname = ?`, hostname)
  return row && Domain.parse(row)
}

/** Attaches a hostname, even if another Worker had it. */
export function attachDomain(state: State, domain: Omit<Domain, "service" | "attached_on">) {
  state.run(
    `INSERT INTO domain (id, hostname, zone_id, cert_id, worker_id, attached_on) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hostname) DO UPDATE SET worker_id = excluded.worker_id`,
    domain.id,
    domain.hostname,
    domain.zone_id,
    domain.cert_id,
    domain.worker_id,
    new Date().toISOString(),
  )
}

export function detachDomain(state: State, id: string) {
  state.run("DELETE FROM domain WHERE id = ?", id)
}
