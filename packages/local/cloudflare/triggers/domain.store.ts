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
  return state.list(Domain, `${select} ORDER BY hostname`)
}

export function findDomain(state: State, id: string): Domain | undefined {
  return state.find(Domain, `${select} WHERE domain.id = ?`, id)
}

export function findDomainByHostname(state: State, hostname: string): Domain | undefined {
  return state.find(Domain, `${select} WHERE hostname = ?`, hostname)
}

/** Attaches a hostname, even if another Worker had it. */
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
