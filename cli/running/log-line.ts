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
  const where = `${text(host)}${text(path)}`
  const columns = [
    paint.dim(clock(time)),
    kindColour(event, paint)(event.padEnd(kindWidth)),
    statusColour(code, paint)(code.padEnd(3)),
    paint.dim(duration.padStart(8)),
    text(method).padEnd(6),
    [where, paint.dim(details(rest))].filter((part) => part !== "").join("  "),
  ]
  return columns.join("  ").trimEnd()
}

/** Local time, with the date if it is not today. */
function clock(time: string): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return printable(time)
  const two = (value: number) => String(value).padStart(2, "0")
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `
  const today = at.toDateString() === new Date().toDateString()
  const seconds = `${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`
  return `${today ? "" : day}${two(at.getHours())}:${two(at.getMinutes())}:${seconds}`
}

function details(rest: Record<string, unknown>): string {
  return Object.entries(rest).map(detail).filter(Boolean).join("  ")
}

function detail([name, value]: [string, unknown]): string {
  if (value === null || value === undefined || value === "") return ""
  if (name === "script" || name === "message") return text(value)
  if (name === "versionId" || name === "deploymentId") {
    return `${name === "versionId" ? "version" : "deployment"} ${text(value).slice(0, 8)}`
  }
  if (name === "versions" && Array.isArray(value)) return value.map(share).join(", ")
  return `${name}=${text(value)}`
}

function share(version: unknown): string {
  if (typeof version !== "object" || version === null) return text(version)
  if (!("version_id" in version && "percentage" in version)) return text(version)
  return `${text(version.version_id).slice(0, 8)} ${text(version.percentage)} %`
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
