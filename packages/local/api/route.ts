import { randomBytes } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { type Zone, zoneOf, zones } from "../state/seed.ts"
import type { State } from "../state/state.ts"
import { requireZone } from "./account.ts"
import { ApiError, body, code, noQuery, success } from "./envelope.ts"
import { requireWorker } from "./worker.ts"

/** A missing or null script turns Workers off for the pattern. */
const RouteInput = z.strictObject({ pattern: z.string().min(1), script: z.string().nullish() })

/**
 * `zones/{zone}/workers/routes`. A repeated create fails with 10020, a repeated delete with 10009. A repeated put
 * changes nothing. Reading an unknown route fails with 10007.
 */
export function zoneRoutes({ state, live }: { state: State; live: { refresh(): void } }) {
  const app = new Hono()

  // Cloudflare returns all routes of a zone at once, without pages.
  app.get("/:zone/workers/routes", (c) => {
    const zone = requireZone(c.req.param("zone"))
    return c.json(
      success(
        listRoutes(state)
          .filter((route) => route.zone_id === zone.id)
          .map(view),
      ),
    )
  })

  app.post("/:zone/workers/routes", noQuery, async (c) => {
    const id = randomBytes(16).toString("hex")
    return c.json(success(save(id, c.req.param("zone"), await body(c, RouteInput))))
  })

  app.get("/:zone/workers/routes/:route", noQuery, (c) => {
    const route = requireRoute(c.req.param("zone"), c.req.param("route"), code.noWorker)
    return c.json(success(view(route)))
  })

  app.put("/:zone/workers/routes/:route", noQuery, async (c) => {
    const { id } = requireRoute(c.req.param("zone"), c.req.param("route"))
    return c.json(success(save(id, c.req.param("zone"), await body(c, RouteInput))))
  })

  app.delete("/:zone/workers/routes/:route", noQuery, (c) => {
    const { id } = requireRoute(c.req.param("zone"), c.req.param("route"))
    state.transaction(() => deleteRoute(state, id))
    live.refresh()
    return c.json(success({ id }))
  })

  function save(id: string, zoneId: string, { pattern, script }: z.infer<typeof RouteInput>) {
    const zone = requireZone(zoneId)
    checkRoutePattern(pattern, zone)
    const worker = typeof script === "string" ? requireWorker(state, script) : undefined
    state.transaction(() => {
      const route = findRouteByPattern(state, zone.id, pattern)
      if (route !== undefined && route.id !== id) throw taken(route)
      saveRoute(state, { id, zone_id: zone.id, pattern, worker_id: worker?.id ?? null })
    })
    live.refresh()
    return { id, pattern, ...(worker !== undefined && { script: worker.name }) }
  }

  function requireRoute(zoneId: string, id: string, errorCode: number = code.noZoneRoute): Route {
    const zone = requireZone(zoneId)
    const route = findRoute(state, id)
    if (route?.zone_id === zone.id) return route
    throw new ApiError(404, errorCode, `Zone ${zone.name} has no route ${id}`)
  }

  return app
}

function view({ id, pattern, script }: Route) {
  return { id, pattern, ...(script !== null && { script }) }
}

function taken({ pattern, script, zone_id }: Route): ApiError {
  const zone = zones.find(({ id }) => id === zone_id)?.name ?? zone_id
  const owner = script === null ? "a route without a Worker" : `Worker '${script}'`
  const message = `The pattern '${pattern}' in zone ${zone} already belongs to ${owner}`
  return new ApiError(409, code.routeExists, message)
}

const Route = z.object({
  id: z.string(),
  zone_id: z.string(),
  pattern: z.string(),
  worker_id: z.string().nullable(),
  /** Null for a route that turns Workers off. */
  script: z.string().nullable(),
})
export type Route = z.infer<typeof Route>

const select =
  "SELECT route.*, worker.name AS script FROM route LEFT JOIN worker ON worker.id = worker_id"

export function listRoutes(state: State): Route[] {
  return state.list(Route, `${select} ORDER BY pattern`)
}

function findRoute(state: State, id: string): Route | undefined {
  return state.find(Route, `${select} WHERE route.id = ?`, id)
}

function findRouteByPattern(state: State, zoneId: string, pattern: string): Route | undefined {
  return state.find(Route, `${select} WHERE zone_id = ? AND pattern = ?`, zoneId, pattern)
}

function saveRoute(state: State, route: Omit<Route, "script">) {
  const replacing =
    "ON CONFLICT (id) DO UPDATE SET pattern = excluded.pattern, worker_id = excluded.worker_id"
  state.insert("route", route, replacing)
}

function deleteRoute(state: State, id: string) {
  state.run("DELETE FROM route WHERE id = ?", id)
}

/**
 * Checks a pattern by the rules in Cloudflare's documentation, with its texts: "Invalid Route Pattern" of the routes
 * API, and "Matching behavior" of routes. Assumed: Cloudflare "could not understand" characters that no URL has.
 * @throws ApiError 10022
 */
function checkRoutePattern(pattern: string, zone?: Zone): Zone {
  const [, host = "", rest = ""] = /^(?:https?:\/\/)?([^/?#]*)(.*)$/i.exec(pattern) ?? []
  const misunderstood = `Could not understand route pattern ${pattern}, please try a different pattern`
  if (/[\s#]/.test(pattern) || !/^(?:\*\.?)?[^*]/.test(host)) throw invalid(misunderstood)
  if (rest.includes("?")) {
    throw invalid(`Route pattern should not have query parameters ${pattern}`)
  }
  if (`${host.slice(1)}${rest.replace(/\*$/, "")}`.includes("*")) {
    throw invalid(
      `Route pattern may only contain wildcards at the beginning of the hostname and the end of the path: ${pattern}`,
    )
  }
  const zoneOfHost = zoneOf(host.replace(/^\*\.?/, "").toLowerCase())
  if (zoneOfHost !== undefined && (zone === undefined || zoneOfHost.id === zone.id)) {
    return zoneOfHost
  }
  throw invalid(`Route pattern must include zone name: ${pattern}`)
}

function invalid(message: string): ApiError {
  return new ApiError(400, code.badRoute, message)
}
