export type LogLevel = "info" | "warn" | "error"

type Fields = Record<string, string | number | boolean | readonly string[] | undefined>

/**
 * One JSON line. Callers pass what a log may hold: no addresses, names, bodies, cookies or tokens.
 */
export const log = (level: LogLevel, event: string, fields: Fields = {}) => {
  // oxlint-disable-next-line no-console -- the one place that writes; the console is the Worker's log
  console[level](JSON.stringify({ level, event, ...fields }))
}
