import * as z from "zod"

import type { State } from "../state/state.ts"

const Deployment = z.object({
  id: z.string(),
  worker_id: z.string(),
  created_on: z.string(),
  source: z.string(),
  annotations: z
    .string()
    .transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text))),
  versions: z
    .string()
    .transform((text) =>
      z.array(z.object({ version_id: z.string(), percentage: z.number() })).parse(JSON.parse(text)),
    ),
})
export type Deployment = z.infer<typeof Deployment>

/** Newest first; the first one is live. */
export function listDeployments(state: State, workerId: string): Deployment[] {
  return state
    .all("SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC", workerId)
    .map((row) => Deployment.parse(row))
}

export function liveDeployment(state: State, workerId: string): Deployment | undefined {
  const row = state.get(
    "SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC LIMIT 1",
    workerId,
  )
  return row && Deployment.parse(row)
}

export function insertDeployment(state: State, deployment: Deployment) {
  state.run(
    "INSERT INTO deployment (id, worker_id, created_on, source, annotations, versions) VALUES (?, ?, ?, ?, ?, ?)",
    deployment.id,
    deployment.worker_id,
    deployment.created_on,
    deployment.source,
    JSON.stringify(deployment.annotations),
    JSON.stringify(deployment.versions),
  )
}

export function deleteDeployment(state: State, id: string) {
  state.run("DELETE FROM deployment WHERE id = ?", id)
}
