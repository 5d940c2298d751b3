import * as z from "zod"

import type { Api } from "../api.ts"

/** Without a script, a route turns Workers off for what it matches. */
export type Route = { pattern: string; script?: string | null | undefined }

const Zones = z.array(z.object({ id: z.string(), name: z.string() }))
const Routes = z.array(z.object({ pattern: z.string(), script: z.string().nullish() }))

/** Zones of one page, Cloudflare's limit. */
const pageSize = 50

type Question = {
  api: Api
  accountId: string
  /** Hosts whose zones have to be among those that the token sees. */
  hosts: string[]
  /** Of the stack's zone, for tokens that cannot look zones up by name. */
  zoneId?: string | undefined
}

/** The routes of every zone that the token sees. @throws Error when it does not see a host's zone */
export async function findRoutes(question: Question): Promise<Route[]> {
  const { api } = question
  const ids = await zoneIdsOf(question)
  const found = await Promise.all(
    ids.map((id) => api.get(`/zones/${encodeURIComponent(id)}/workers/routes`, Routes)),
  )
  return found.flat()
}

async function zoneIdsOf({ api, accountId, hosts, zoneId }: Question): Promise<string[]> {
  const zones = await listZones(api, accountId)
  const ids = zones.map(({ id }) => id)
  if (zoneId !== undefined) return [...new Set([...ids, zoneId])]
  const unseen = hosts.find(
    (host) =>
      !host.endsWith(".workers.dev") &&
      !zones.some(({ name }) => host === name || host.endsWith(`.${name}`)),
  )
  if (unseen === undefined) return ids
  throw new Error(
    `the token sees no zone of ${unseen}: give it the permission Zone Read, or set accounts:zoneId`,
  )
}

async function listZones(api: Api, accountId: string): Promise<z.infer<typeof Zones>> {
  const all: z.infer<typeof Zones> = []
  for (let page = 1; ; page += 1) {
    const query = `account.id=${encodeURIComponent(accountId)}&per_page=${pageSize}&page=${page}`
    const zones = await api.get(`/zones?${query}`, Zones)
    all.push(...zones)
    if (zones.length < pageSize) return all
  }
}

/** The routes to a script that match the service's API at a URL. */
export function routesOf(routes: Route[], scriptName: string, url: URL): Route[] {
  return routes.filter(
    ({ pattern, script }) =>
      script === scriptName && matches(pattern, `${url.hostname}/api/health`),
  )
}

/** https://developers.cloudflare.com/workers/configuration/routing/routes/#matching-behavior */
function matches(pattern: string, target: string): boolean {
  const bare = pattern.replace(/^https?:\/\//, "")
  const withPath = bare.includes("/") ? bare : `${bare}/`
  const source = withPath
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*")
  return new RegExp(`^${source}$`, "i").test(target)
}
