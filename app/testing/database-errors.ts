/**
 * D1's errors and what Cloudflare advises after them: to retry, or to ask less
 * (https://developers.cloudflare.com/d1/observability/debug-d1/#error-list). A read is retried after the former.
 */
export const databaseErrors: Record<string, "retry" | "ask less"> = {
  "D1 DB reset because its code was updated.": "retry",
  "Internal error while starting up D1 DB storage caused object to be reset.": "retry",
  "Network connection lost.": "retry",
  "Internal error in D1 DB storage caused object to be reset.": "retry",
  "Cannot resolve D1 DB due to transient issue on remote node.": "retry",
  "Can't read from request stream because client disconnected.": "retry",
  "D1 DB storage operation exceeded timeout which caused object to be reset.": "ask less",
  "D1 DB is overloaded. Requests queued for too long.": "ask less",
  "D1 DB is overloaded. Too many requests queued.": "ask less",
  "D1 DB's isolate exceeded its memory limit and was reset.": "ask less",
  "D1 DB exceeded its CPU time limit and was reset.": "ask less",
}
