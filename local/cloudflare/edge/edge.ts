import type { Plane } from "../plane/plane.ts"
import type { RoutingTable } from "./routing.ts"

/** One answered request, for logs and for `/local/events`. */
export type EdgeRequest = {
  /** ISO 8601, arrival. */
  time: string
  method: string
  host: string
  path: string
  status: number
  /** Milliseconds from arrival to the end of the answer. */
  ms: number
  script: string | null
  versionId: string | null
}

export type EdgeOptions = {
  /** 0 takes any free port. */
  port: number
  plane: Plane
  table: () => RoutingTable
  /** Starts a version that is not running: a preview of one that was put to sleep. Idempotent. */
  wake: (versionId: string) => Promise<void>
  onRequest: (entry: EdgeRequest) => void
}

/** @throws with code `EADDRINUSE` when the port is taken. */
export async function openEdge(
  options: EdgeOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  throw new Error(`The edge on port ${options.port} is not written yet`)
}
