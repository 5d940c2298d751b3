import { randomBytes } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import { requireZone } from "../account/zone.api.ts"
import type { Control } from "../control.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { zones } from "../seed.ts"
import { requireWorker } from "../workers/worker.store.ts"
import { checkRoutePattern } from "./route-grammar.ts"
import type { Route } from "./route.store.ts"
import { deleteRoute, findRoute, findRouteByPattern, listRoutes, saveRoute } from "./route.store.ts"

/** Without a script, or with `null`, the route turns Workers off for its path. */
const RouteInput = z.strictObject({ pattern: z.string().min(1), script: z.string().nullish() })

/**
 * `zones/{zone}/workers/routes`. Repeats: create fails with 10020, put changes nothing, delete
 * fails with 10009, get with 10007.
 */
export function zoneRoutes({ state, live }: Control) {
  const app = new Hono()

  // Cloudflare returns all routes of a zone at once, without pages.
  app.get("/:zone/workers/routes", (c) => {
    const zone = requireZone(c.req.param("zone"))
    return c.json(
      success(
        listRoutes(state)
          .filter((one) => one.zone_id === zone.id)
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
      const other = findRouteByPattern(state, zone.id, pattern)
      if (other !== undefined && other.id !== id) throw taken(other)
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
