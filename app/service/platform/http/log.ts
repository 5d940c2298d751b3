export type LogLevel = "info" | "warn" | "error"

type Fields = Record<string, string | number | boolean | string[] | undefined>

/** Writes one JSON line. Callers must not pass addresses, names, bodies, cookies or tokens. */
export function log(level: LogLevel, event: string, fields: Fields = {}) {
  // oxlint-disable-next-line no-console -- the only place that writes; the console is the Worker's log
  console[level](JSON.stringify({ level, event, ...fields }))
}

/** Returns the error's message, without the parameters that drizzle adds to a failed query's message. */
export function reasonOf(error: unknown): string {
  const cause = causeOf(error)
  return cause instanceof Error ? cause.message : "unknown"
}

/** Returns the reason and the stack of an unexpected error, for the log. */
export function describeError(error: unknown) {
  return { reason: reasonOf(error), stack: framesOf(causeOf(error)) }
}

function causeOf(error: unknown) {
  if (!(error instanceof Error) || !error.message.startsWith("Failed query")) return error
  return error.cause instanceof Error ? error.cause : new Error("failed query")
}

/** Returns the lines after the message, which may span several lines and quote input. */
function framesOf(error: unknown) {
  if (!(error instanceof Error)) return []
  const { message, stack = "" } = error
  const frames = stack.slice(stack.indexOf(message) + message.length).split("\n")
  return frames.filter((line) => /^ +at /.test(line)).map((line) => line.trim())
}
