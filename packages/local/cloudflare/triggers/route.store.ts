import * as z from "zod"

import type { State } from "../state/state.ts"

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

export function findRoute(state: State, id: string): Route | undefined {
  return state.find(Route, `${select} WHERE route.id = ?`, id)
}

export function findRouteByPattern(
  state: State,
  zoneId: string,
  pattern: string,
): Route | undefined {
  return state.find(Route, `${select} WHERE zone_id = ? AND pattern = ?`, zoneId, pattern)
}

export function saveRoute(state: State, route: Omit<Route, "script">) {
  const replacing =
    "ON CONFLICT (id) DO UPDATE SET pattern = excluded.pattern, worker_id = excluded.worker_id"
  state.insert("route", route, replacing)
}

export function deleteRoute(state: State, id: string) {
  state.run("DELETE FROM route WHERE id = ?", id)
}
