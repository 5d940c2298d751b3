/** A request to the edge after its response, as the log and `/local/events` show it. */
export type EdgeRequest = {
  /** Arrival, ISO 8601. */
  time: string
  method: string
  host: string
  /** Without the query string. */
  path: string
  /** 499 when the client disconnected before the response. */
  status: number
  /** Milliseconds from arrival to the end of the response. */
  ms: number
  /** Null when no Worker is routed there. */
  script: string | null
  versionId: string | null
  /** Not in the log: how the Worker's code ended. */
  outcome: "ok" | "exception" | "canceled"
}
