export type LogLevel = "info" | "warn" | "error"

type Fields = Record<string, string | number | boolean | string[] | undefined>

/** Writes one JSON line. Callers must not pass addresses, names, bodies, cookies or tokens. */
export function log(level: LogLevel, event: string, fields: Fields = {}) {
  // oxlint-disable-next-line no-console -- the only place that writes; the console is the Worker's log
  console[level](JSON.stringify({ level, event, ...fields }))
}

/** The error's message, without the parameters that drizzle puts into a failed query's. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown"
  if (!error.message.startsWith("Failed query")) return error.message
  return error.cause instanceof Error ? error.cause.message : "failed query"
}
