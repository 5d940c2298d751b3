/** One thing that goes wrong in the request that matters. */
export type Case = {
  fault: string
  /** Of the rule; `api` when absent. */
  surface?: "api" | "d1"
  action: Record<string, unknown>
}

const lost = { type: "d1-error", error: "Network connection lost." }

/** Of any request that changes something. */
export const everywhere: Case[] = [
  { fault: "503, not applied", action: { type: "status", status: 503 } },
  { fault: "500, applied", action: { type: "status", status: 500, applied: true } },
  { fault: "HTML page 520, not applied", action: { type: "status", status: 520, body: "html" } },
  { fault: "429, `Retry-After: 1`", action: { type: "rate-limit", retryAfter: 1 } },
  { fault: "reset, not applied", action: { type: "reset" } },
  { fault: "reset, applied", action: { type: "reset", applied: true } },
  { fault: "answer cut off", action: { type: "truncate" } },
  { fault: "answer malformed", action: { type: "malformed" } },
  { fault: "late by 300 ms", action: { type: "delay", ms: 300 } },
]

/** Those of them that show how wrangler differs: a run of it takes seconds. */
export const ofWrangler = everywhere.filter(
  ({ action: { type, applied } }) => type !== "delay" && (type !== "status" || applied !== true),
)

/** Of a request whose effect is in the control plane's own state. */
export const stored: Case[] = [{ fault: "disk full", action: { type: "disk-full" } }]

/** Of a query. */
export const queried: Case[] = [
  { fault: "half applied, 500", action: { type: "partial" } },
  { fault: "D1: connection lost, not applied", surface: "d1", action: lost },
  { fault: "D1: connection lost, applied", surface: "d1", action: { ...lost, applied: true } },
  {
    fault: "D1: overloaded",
    surface: "d1",
    action: { type: "d1-error", error: "D1 DB is overloaded. Requests queued for too long." },
  },
  { fault: "D1: batch not atomic", surface: "d1", action: { type: "non-atomic" } },
  { fault: "D1: disk full", surface: "d1", action: { type: "disk-full" } },
  { fault: "D1: process killed", surface: "d1", action: { type: "kill", process: "storage" } },
]
