import type { createColors } from "picocolors"

import { printable } from "../output.ts"
import type { LogEntry } from "./event-stream.ts"

type Paint = ReturnType<typeof createColors>

/** Width of the longest known kind. */
const kindWidth = 13

/**
 * One entry for people: time, kind, status, milliseconds, method, host with path, then its other
 * fields. Unknown kinds have the same format.
 */
export function logLine(entry: LogEntry, paint: Paint): string {
  const { time, event, status, ms, method, host, path, ...rest } = entry
  const code = text(status)
  const duration = ms === undefined ? "" : `${text(ms)} ms`
  const details = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${text(value)}`)
  const where = `${text(host)}${text(path)}`
  const columns = [
    paint.dim(clock(time)),
    kindColour(event, paint)(event.padEnd(kindWidth)),
    statusColour(code, paint)(code.padEnd(3)),
    paint.dim(duration.padStart(8)),
    text(method).padEnd(6),
    [where, paint.dim(details.join("  "))].filter((part) => part !== "").join("  "),
  ]
  return columns.join("  ").trimEnd()
}

/** Local time, with the date if it is not today. */
function clock(time: string): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return printable(time)
  // Swedish dates and times are those of ISO 8601.
  const [day, today] = [at, new Date()].map((one) => one.toLocaleDateString("sv"))
  const fraction = String(at.getMilliseconds()).padStart(3, "0")
  return `${day === today ? "" : `${day} `}${at.toLocaleTimeString("sv")}.${fraction}`
}

function text(value: unknown): string {
  if (value === undefined) return ""
  return printable(typeof value === "string" ? value : JSON.stringify(value))
}

function kindColour(kind: string, paint: Paint) {
  if (kind === "problem" || kind === "fault") return paint.red
  if (kind.startsWith("unknown")) return paint.yellow
  return kind === "deployment" ? paint.cyan : paint.bold
}

function statusColour(status: string, paint: Paint) {
  if (status.startsWith("5")) return paint.red
  return status.startsWith("4") ? paint.yellow : paint.green
}
