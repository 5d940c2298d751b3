import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs"

import type { EdgeRequest } from "../edge/edge-request.ts"
import type { LogFilter, LoggedEntry } from "./filter.ts"
import { matches } from "./filter.ts"
import { maskPath } from "./mask.ts"
import { endsWithLine, readPast } from "./past.ts"
import { createRing } from "./ring.ts"

/** What happened, for the log file, `/local/events` and the counters of `/local/status`. */
type Happening =
  | ({ event: "request" } & EdgeRequest)
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
type Entry = Happening & { time: string }

export type Journal = {
  record(happening: Happening): void
  /** @returns ends the subscription */
  subscribe(listener: (entry: Entry) => void): () => void
  /** The newest `limit` entries that match, in the order of their times. */
  past(filter: LogFilter, limit: number): LoggedEntry[]
  counts(): Record<Happening["event"], number>
  close(): void
}

/** Bytes after which the log moves to `<file>.1`, replacing the one before. */
const rotateAt = 8 * 1024 * 1024
const rememberedRequests = 1000

/**
 * Bodies, query strings and headers never get here, so neither do tokens or secrets. Requests to
 * Workers are never written: their paths may hold one-time links. The last ones are remembered in
 * memory, like all that is told of them with what looks like a token masked.
 */
export function openJournal(file: string): Journal {
  const listeners = new Set<(entry: Entry) => void>()
  const requests = createRing<Entry>(rememberedRequests)
  const counts = {
    request: 0,
    api: 0,
    deployment: 0,
    cron: 0,
    fault: 0,
    "unknown-route": 0,
    "unknown-input": 0,
    problem: 0,
  }
  let descriptor = openSync(file, "a", 0o600)
  // A process that was killed may have left half a line.
  if (!endsWithLine(file)) writeSync(descriptor, "\n")
  let size = fstatSync(descriptor).size

  function append(entry: Entry) {
    if (size > rotateAt) {
      closeSync(descriptor)
      renameSync(file, `${file}.1`)
      descriptor = openSync(file, "a", 0o600)
      size = 0
    }
    try {
      size += writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    } catch {
      // A full disk: what happened is still told to subscribers, and must not end the process.
    }
  }

  return {
    record(happening) {
      const entry = { time: new Date().toISOString(), ...masked(happening) }
      counts[happening.event] += 1
      if (entry.event === "request") requests.add(entry)
      else append(entry)
      for (const listener of listeners) listener(entry)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    past(filter, limit) {
      if (limit === 0) return []
      const remembered = requests.items().filter((entry) => matches(entry, filter))
      return [...readPast(file, filter, limit), ...remembered]
        .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
        .slice(-limit)
    },
    counts: () => ({ ...counts }),
    close: () => closeSync(descriptor),
  }
}

/** Faults tell of requests to Workers, too. */
function masked(happening: Happening): Happening {
  if (happening.event !== "request" && happening.event !== "fault") return happening
  return { ...happening, path: maskPath(happening.path) }
}
