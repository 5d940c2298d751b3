export type LogLevel = "info" | "warn" | "error"

type Fields = Record<string, string | number | boolean | string[] | undefined>

/**
 * One JSON line. Callers pass what a log may hold: no addresses, names, bodies, cookies or tokens.
 */
export function log(level: LogLevel, event: string, fields: Fields = {}) {
  // oxlint-disable-next-line no-console -- the one place that writes; the console is the Worker's log
  console[level](JSON.stringify({ level, event, ...fields }))
}

/** Why something failed, without the values a failed statement carries in its message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown"
  if (!error.message.startsWith("Failed query")) return error.message
  return error.cause instanceof Error ? error.cause.message : "failed query"
}
