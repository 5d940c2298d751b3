import * as z from "zod"

import { type Account, type Api, undefinedIfNotFound } from "../../deploy/api.ts"
import { listRoutes, lookUpZone } from "../../deploy/release/routes.ts"
import { type Environment, physicalName, protection } from "../../environment/environment.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { readStackFile } from "../../environment/read.ts"
import { hostPatterns, routePatterns } from "../../environment/rules/url.ts"
import { findDatabase } from "../database/d1-account.ts"
import type { Declared } from "../stack/stored-state.ts"

/** A resource in an account under a name or a host of a stack. */
export type UnmanagedResource = {
  kind: keyof typeof places
  /** Cloudflare's id. */
  id: string
  /** As in `database accounts-staging (3f…)`. */
  label: string
  /** Path of the resource in the API. */
  path: string
  created?: string | undefined
  /** The Worker that a host or a route leads to, "" for none; undefined for the stack's own Worker. */
  leadsTo?: string
  /** How the program declares it; undefined for a host or a route that the stack file does not have. */
  declared?: Declared | undefined
  /** Set for a Worker. */
  tags?: string[]
  propagationPolicy?: string | undefined
  /** Set for a database. */
  jurisdiction?: string | undefined
}

export type Subject = { stack: string; environment: Environment }

export function readSubject({ stack, stackFile }: { stack: string; stackFile: string }): Subject {
  return { stack, environment: readStackFile({ path: stackFile, name: stack }).environment }
}

const Domains = z.array(z.object({ id: z.string(), hostname: z.string(), service: z.string() }))

/**
 * Finds resources of the account that have a stack's name, lead to its Worker, or have a host or a pattern of
 * its stack file. Throws if a response is not a list, because that proves nothing.
 * @param options.allRoutes reads the routes of the zone even if the stack file has none
 */
export async function findUnmanagedResources(
  { stack, environment }: Subject,
  { api, allRoutes }: { api: Api; allRoutes: boolean },
): Promise<UnmanagedResource[]> {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const account = { api, accountId }
  const name = physicalName(stack, environment)
  const patterns = routePatterns(environment)
  const zoneOf = async () => {
    if (zone === undefined || (!allRoutes && patterns.length === 0)) return { routes: [] }
    // If the stack file has the zone's id, the token may lack the right to look it up. A deleted zone has no routes.
    const id = zoneId ?? (await lookUpZone(api, { accountId, zone }))
    return { id, routes: id === undefined ? [] : await listRoutes(api, id) }
  }
  const [database, worker, domains, { routes, id: routesIn }] = await Promise.all([
    findDatabase(account, name),
    findWorker(account, name),
    api.get(`/accounts/${encodeURIComponent(accountId)}/workers/domains`, Domains),
    zoneOf(),
  ])
  const unmanaged: UnmanagedResource[] = []
  const protects = protection(environment)
  const add = (
    { kind, id, ...facts }: Omit<UnmanagedResource, "label" | "path" | "declared" | "leadsTo">,
    { title, suffix = "", parent = accountId, declared = true, ...place }: Place,
  ) => {
    const { type, component, protectedBy, list } = places[kind]
    const protect = (place.protect ?? true) && protects[protectedBy]
    const declaration = { type, component, suffix, protect, importId: `${parent}/${id}` }
    const { leadsTo = name } = place
    unmanaged.push({
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
    const protect = hostPatterns(environment).includes(title)
    const place = { parent: routesIn, declared, protect, leadsTo: script ?? "" }
    add({ kind: "route", id }, { title, suffix: `-${title}`, ...place })
  }
  return unmanaged
}

type Place = {
  title: string
  suffix?: string
  /** Id of the account or zone that contains it. */
  parent?: string | undefined
  declared?: boolean
  protect?: boolean
  leadsTo?: string
}

/** Types and components of the resources, as `infra/` declares them. */
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

/** Finds the remains of a deleted stack. */
export async function findLeftovers(subject: Subject, api: Api): Promise<UnmanagedResource[]> {
  const unmanaged = await findUnmanagedResources(subject, { api, allRoutes: true })
  return unmanaged.filter(({ leadsTo }) => leadsTo === undefined)
}

const Traces = z.object({ propagation_policy: z.string().nullish() })

const Worker = z.object({
  id: z.string(),
  name: z.string(),
  created_on: z.string().optional(),
  updated_on: z.string().nullish(),
  deployed_on: z.string().nullish(),
  tags: z.array(z.string()).default([]),
  observability: z.object({ traces: Traces.nullish() }).nullish(),
})

export type FoundWorker = z.infer<typeof Worker>

/** The path takes a name as well as an id (Cloudflare's OpenAPI document, `worker_id` of getWorker). */
function workerPath(accountId: string, nameOrId: string): string {
  const worker = encodeURIComponent(nameOrId)
  return `/accounts/${encodeURIComponent(accountId)}/workers/workers/${worker}`
}

export async function findWorker(
  { api, accountId }: Account,
  name: string,
): Promise<FoundWorker | undefined> {
  return await undefinedIfNotFound(api.get(workerPath(accountId, name), Worker))
}

/** The longest page that the OpenAPI document allows. */
const pageSize = 100

/** Lists the oldest first, so that a Worker created meanwhile moves no other Worker to another page. */
export async function listWorkers({ api, accountId }: Account) {
  const workers: FoundWorker[] = []
  for (let page = 1; ; page += 1) {
    const query = `order_by=created_on&order=asc&page=${page}&per_page=${pageSize}`
    const path = `/accounts/${encodeURIComponent(accountId)}/workers/workers?${query}`
    const workersOfPage = await api.get(path, z.array(Worker))
    workers.push(...workersOfPage)
    if (workersOfPage.length < pageSize) return workers
  }
}

/**
 * Longest time between a creation, by Cloudflare's clock, and the run's last save of state: the request, three
 * minutes of retries by Cloudflare's provider, Cloudflare's rate limit of five minutes, and differing clocks.
 */
const longestMinutes = 15

const Versions = z.array(z.unknown())

/**
 * Explains why a failed or killed run may not have created a resource; undefined if nothing contradicts it.
 * Such a run has not yet added tables or versions. Hosts and routes of the stack's own Worker belong to it.
 * @param run.savedAt when that run last saved the stack's state
 */
export async function findOwnershipDoubt(
  { kind, id, created }: UnmanagedResource,
  { api, accountId, savedAt }: Account & { savedAt: string | undefined },
): Promise<string | undefined> {
  if (kind === "database") {
    const objects = await openDatabase({ api, accountId, databaseId: id }).allObjects()
    const table = objects.find(({ type }) => type === "table")
    if (table) return `it has tables already, such as ${table.name}`
  } else if (kind === "Worker") {
    const versions = await api.get(`${workerPath(accountId, id)}/versions?per_page=1`, Versions)
    if (versions.length > 0) return "it has a version already"
  } else return undefined
  const minutes = Math.abs(Date.parse(created ?? "") - Date.parse(savedAt ?? "")) / 60_000
  if (minutes <= longestMinutes) return undefined
  return `it was created at ${created ?? "an unknown time"}, and the stack was deployed at ${savedAt ?? "an unknown time"}`
}
