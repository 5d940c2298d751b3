import * as z from "zod"

import { jsonColumn, type State } from "../state/state.ts"

const Deployment = z.object({
  id: z.string(),
  worker_id: z.string(),
  created_on: z.string(),
  source: z.string(),
  annotations: jsonColumn(z.record(z.string(), z.string())),
  versions: jsonColumn(z.array(z.object({ version_id: z.string(), percentage: z.number() }))),
})
export type Deployment = z.infer<typeof Deployment>

/** Newest first; the first one is live. */
export function listDeployments(state: State, workerId: string): Deployment[] {
  return state.list(
    Deployment,
    "SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC",
    workerId,
  )
}

export function liveDeployment(state: State, workerId: string): Deployment | undefined {
  return state.find(
    Deployment,
    "SELECT * FROM deployment WHERE worker_id = ? ORDER BY sequence DESC LIMIT 1",
    workerId,
  )
}

export function insertDeployment(state: State, deployment: Deployment) {
  state.insert("deployment", deployment)
}

export function deleteDeployment(state: State, id: string) {
  state.run("DELETE FROM deployment WHERE id = ?", id)
}
