/** A fault in the request that an operation is about. */
export type FaultCase = {
  fault: string
  /** Surface of the fault rule; default: `api`. */
  surface?: "api" | "d1"
  action: Record<string, unknown>
}

const limited = { type: "status", status: 429, code: 971, headers: { "retry-after": "1" } }
const lost = { type: "d1-error", error: "Network connection lost." }

/** Faults of any request that changes something. */
export const anyRequestFaults: FaultCase[] = [
  { fault: "503, not applied", action: { type: "status", status: 503 } },
  { fault: "500, applied", action: { type: "status", status: 500, applied: true } },
  { fault: "HTML page 520, not applied", action: { type: "status", status: 520, body: "html" } },
  { fault: "429, `Retry-After: 1`", action: limited },
  { fault: "reset, not applied", action: { type: "reset" } },
  { fault: "reset, applied", action: { type: "reset", applied: true } },
  { fault: "late by 300 ms", action: { type: "delay", ms: 300 } },
]

/** The subset where wrangler differs: each run of wrangler takes seconds. */
export const wranglerFaults = anyRequestFaults.filter(
  ({ action: { type, applied } }) => type !== "delay" && (type !== "status" || applied !== true),
)

/** Faults of a D1 query. */
export const queryFaults: FaultCase[] = [
  { fault: "D1: connection lost, not applied", surface: "d1", action: lost },
  { fault: "D1: connection lost, applied", surface: "d1", action: { ...lost, applied: true } },
  {
    fault: "D1: overloaded",
    surface: "d1",
    action: { type: "d1-error", error: "D1 DB is overloaded. Requests queued for too long." },
  },
  { fault: "D1: process killed", surface: "d1", action: { type: "kill", process: "storage" } },
]
