import { randomBytes } from "node:crypto"

import * as z from "zod"

import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { jsonColumn, type State } from "../state/state.ts"
import { WorkerSettings } from "./worker-settings.ts"

const Worker = z.object({
  /** 32 hexadecimal digits; older routes call it the script's tag. */
  id: z.string(),
  name: z.string(),
  created_on: z.string(),
  updated_on: z.string(),
  settings: jsonColumn(WorkerSettings),
})
export type Worker = z.infer<typeof Worker>

export function listWorkers(state: State): Worker[] {
  return state.list(Worker, "SELECT * FROM worker ORDER BY rowid")
}

/** The provider refers to Workers by id, wrangler by name; Cloudflare accepts both. */
export function findWorker(state: State, idOrName: string): Worker | undefined {
  return state.find(Worker, "SELECT * FROM worker WHERE id = ?1 OR name = ?1", idOrName)
}

export function requireWorker(state: State, idOrName: string): Worker {
  const worker = findWorker(state, idOrName)
  if (worker !== undefined) return worker
  throw noWorker()
}

export function noWorker(): ApiError {
  return new ApiError(404, code.noWorker, "This Worker does not exist on your account.")
}

export function insertWorker(state: State, worker: Worker) {
  state.insert("worker", worker)
}

export function updateWorker(
  state: State,
  { id, name, settings }: Omit<Worker, "created_on" | "updated_on">,
) {
  state.run(
    "UPDATE worker SET name = ?, settings = ?, updated_on = ? WHERE id = ?",
    name,
    JSON.stringify(settings),
    new Date().toISOString(),
    id,
  )
}

/** Cascades to versions, deployments, domains, routes and schedules. */
export function deleteWorker(state: State, id: string) {
  state.run("DELETE FROM worker WHERE id = ?", id)
}

export function newWorker(name: string, settings: WorkerSettings): Worker {
  const now = new Date().toISOString()
  return { id: randomBytes(16).toString("hex"), name, created_on: now, updated_on: now, settings }
}
