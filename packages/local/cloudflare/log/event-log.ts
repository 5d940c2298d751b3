import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs"

import type { EdgeRequest } from "../edge/edge-request.ts"
import type { WorkerOutput } from "../plane/plane.ts"
import { kinds, type LogFilter, type LoggedEntry, matches } from "./filter.ts"
import { endsWithLine, readNewest } from "./log-file.ts"
import { maskPath } from "./mask.ts"

/** What happened, for the log file, `/local/events` and the counters of `/local/status`. */
type Event =
  | ({ event: "request" } & Omit<EdgeRequest, "outcome">)
  | {
      event: "api"
      method: string
      path: string
      status: number
      ms: number
      userAgent: string
      error?: string
    }
  | { event: "deployment"; script: string; deploymentId: string; versions: Share[] }
  | { event: "cron"; script: string; cron: string; outcome: string }
  | ({ event: "worker" } & WorkerOutput)
  | {
      event: "fault"
      rule: string
      action: string
      surface: string
      method: string
      host: string
      path: string
      userAgent: string
      database?: string
    }
  | { event: "unknown-route"; method: string; path: string }
  | { event: "unknown-input"; method: string; path: string; message: string }
  | { event: "problem"; message: string }

type Share = { version_id: string; percentage: number }
type Entry = Event & { time: string }

export type EventLog = ReturnType<typeof openEventLog>

/** Bytes; a larger file is renamed to `<file>.1`, replacing the previous one. */
const rotationSize = 8 * 1024 * 1024
const unwrittenLimit = 1000

/**
 * Entries have no bodies, query strings or headers, and so no tokens or secrets. Requests to Workers
 * are never written, because their paths may be one-time links: the last ones are kept in memory,
 * with anything that looks like a token masked. What Workers print stays in memory, too: they may print
 * anything.
 */
export function openEventLog(file: string) {
  const listeners = new Set<(entry: Entry) => void>()
  const unwritten: Entry[] = []
  const counts = new Map(kinds.map((kind) => [kind, 0]))
  let descriptor = openSync(file, "a", 0o600)
  // A process that was killed may have left half a line.
  if (!endsWithLine(file)) writeSync(descriptor, "\n")
  let size = fstatSync(descriptor).size

  function append(entry: Entry) {
    if (size > rotationSize) {
      closeSync(descriptor)
      renameSync(file, `${file}.1`)
      descriptor = openSync(file, "a", 0o600)
      size = 0
    }
    try {
      size += writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    } catch {
      // A full disk must not stop the process; subscribers still get the entry.
    }
  }

  function keep(entry: Entry) {
    unwritten.push(entry)
    if (unwritten.length > unwrittenLimit) unwritten.shift()
  }

  return {
    record(event: Event) {
      const entry = { time: new Date().toISOString(), ...masked(event) }
      counts.set(event.event, (counts.get(event.event) ?? 0) + 1)
      if (entry.event === "request" || entry.event === "worker") keep(entry)
      else append(entry)
      for (const listener of listeners) listener(entry)
    },
    /** @returns a function that unsubscribes */
    subscribe(listener: (entry: Entry) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** The newest `limit` entries that match, oldest first. */
    newest(filter: LogFilter, limit: number): LoggedEntry[] {
      if (limit === 0) return []
      const recent = unwritten.filter((entry) => matches(entry, filter))
      return [...readNewest(file, filter, limit), ...recent]
        .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
        .slice(-limit)
    },
    counts: () => Object.fromEntries(counts),
    close: () => closeSync(descriptor),
  }
}

/** Faults carry the paths of requests to Workers, too. */
function masked(event: Event): Event {
  if (event.event !== "request" && event.event !== "fault") return event
  return { ...event, path: maskPath(event.path) }
}
