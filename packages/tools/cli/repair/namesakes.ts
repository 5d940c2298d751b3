import * as z from "zod"

import type { Api } from "../../deploy/api.ts"
import { listRoutes, lookUpZone } from "../../deploy/release/routes.ts"
import { type Environment, physicalName, protection } from "../../environment/environment.ts"
import { hostPattern, routePatterns } from "../../environment/route-patterns.ts"
import { readStackFile } from "../../environment/stack-file.ts"
import { findDatabase } from "../database/d1-account.ts"
import type { Declared } from "../stack/stored-state.ts"
import { findWorker } from "./find-worker.ts"

/** What an account has under a name or a host of a stack. */
export type Namesake = {
  kind: keyof typeof places
  /** Cloudflare's own id of it. */
  id: string
  /** As in `database accounts-staging (3f…)`. */
  label: string
  /** Where the API has it. */
  path: string
  created?: string | undefined
  /** The Worker that a host or a route leads to, or "" for none; the stack's own if left out. */
  leadsTo?: string
  /** How the program declares it; undefined for a host or a route that the stack file does not have. */
  declared?: Declared | undefined
  /** Of a Worker. */
  tags?: string[]
  propagationPolicy?: string | undefined
  /** Of a database. */
  jurisdiction?: string | undefined
}

export type Subject = { stack: string; environment: Environment }

export function readSubject({ stack, stackFile }: { stack: string; stackFile: string }): Subject {
  return { stack, environment: readStackFile({ path: stackFile, name: stack }).environment }
}

const Domains = z.array(z.object({ id: z.string(), hostname: z.string(), service: z.string() }))

/**
 * Everything in the account that has the name of a stack's database and Worker, leads to that Worker, or
 * has a host or a pattern of the stack file. An answer that is no list proves nothing, so it throws.
 * @param options.allRoutes reads the routes of the zone even if the stack file has none
 */
export async function findNamesakes(
  { stack, environment }: Subject,
  { api, allRoutes }: { api: Api; allRoutes: boolean },
): Promise<Namesake[]> {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const account = { api, accountId }
  const name = physicalName(stack, environment)
  const patterns = routePatterns(environment)
  const zoneOf = async () => {
    if (zone === undefined || (!allRoutes && patterns.length === 0)) return { routes: [] }
    // A token that needs the zone's id in the stack file may not look zones up. A zone that is gone has no routes.
    const id = zoneId ?? (await lookUpZone(api, { accountId, zone }))
    return { id, routes: id === undefined ? [] : await listRoutes(api, id) }
  }
  const [database, worker, domains, { routes, id: routesIn }] = await Promise.all([
    findDatabase(account, name),
    findWorker(account, name),
    api.get(`/accounts/${encodeURIComponent(accountId)}/workers/domains`, Domains),
    zoneOf(),
  ])
  const found: Namesake[] = []
  const protects = protection(environment)
  const add = (
    { kind, id, ...facts }: Omit<Namesake, "label" | "path" | "declared" | "leadsTo">,
    { title, suffix = "", parent = accountId, declared = true, ...place }: Place,
  ) => {
    const { type, component, protectedBy, list } = places[kind]
    const protect = (place.protect ?? true) && protects[protectedBy]
    const declaration = { type, component, suffix, protect, importId: `${parent}/${id}` }
    const { leadsTo = name } = place
    found.push({
      kind,
      id,
      label: `${kind} ${title} (${id})`,
      path: `/${kind === "route" ? "zones" : "accounts"}/${[parent, ...list, id].map((part) => encodeURIComponent(part ?? "")).join("/")}`,
      ...facts,
      ...(leadsTo !== name && { leadsTo }),
      ...(declared && { declared: declaration }),
    })
  }
  if (database) {
    const { uuid: id, created_at: created, jurisdiction } = database
    add({ kind: "database", id, created, jurisdiction: jurisdiction ?? undefined }, { title: name })
  }
  if (worker) {
    const { id, created_on: created, tags, observability } = worker
    const propagationPolicy = observability?.traces?.propagation_policy ?? undefined
    add({ kind: "Worker", id, created, tags, propagationPolicy }, { title: name })
  }
  const host = attach === "domain" ? new URL(apiOrigin).hostname : undefined
  for (const { id, hostname: title, service: leadsTo } of domains) {
    const declared = title === host
    if (!declared && leadsTo !== name) continue
    add({ kind: "host", id }, { title, suffix: `-${title}`, declared, leadsTo })
  }
  for (const { id, pattern: title, script } of routes) {
    const declared = patterns.includes(title)
    if (!declared && script !== name) continue
    const protect = title === hostPattern(environment)
    const place = { parent: routesIn, declared, protect, leadsTo: script ?? "" }
    add({ kind: "route", id }, { title, suffix: `-${title}`, ...place })
  }
  return found
}

type Place = {
  title: string
  suffix?: string
  /** Id of what contains it. */
  parent?: string | undefined
  declared?: boolean
  protect?: boolean
  leadsTo?: string
}

/** As `infra/` declares them. */
const places = {
  database: {
    list: ["d1", "database"],
    type: "cloudflare:index/d1Database:D1Database",
    component: "accounts:infra:Database",
    protectedBy: "database",
  },
  Worker: {
    list: ["workers", "workers"],
    type: "cloudflare:index/worker:Worker",
    component: "accounts:infra:Service",
    protectedBy: "worker",
  },
  host: {
    list: ["workers", "domains"],
    type: "cloudflare:index/workersCustomDomain:WorkersCustomDomain",
    component: "accounts:infra:Hostname",
    protectedBy: "hostname",
  },
  route: {
    list: ["workers", "routes"],
    type: "cloudflare:index/workersRoute:WorkersRoute",
    component: "accounts:infra:Hostname",
    protectedBy: "hostname",
  },
} as const

/** What the deletion of a stack has left. */
export async function findLeftovers(subject: Subject, api: Api): Promise<Namesake[]> {
  const found = await findNamesakes(subject, { api, allRoutes: true })
  return found.filter(({ leadsTo }) => leadsTo === undefined)
}
