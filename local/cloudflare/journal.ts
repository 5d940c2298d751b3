import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs"

/** What happened, for the log file, `/local/events` and the counters of `/local/status`. */
type Happening =
  | {
      event: "request"
      method: string
      host: string
      path: string
      status: number
      ms: number
      script: string | null
      versionId: string | null
    }
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
export type Entry = Happening & { time: string }

export type Journal = {
  record(happening: Happening): void
  /** @returns ends the subscription */
  subscribe(listener: (entry: Entry) => void): () => void
  counts(): Record<Happening["event"], number>
  close(): void
}

/** Bytes after which the log moves to `<file>.1`, replacing the one before. */
const rotateAt = 8 * 1024 * 1024

/**
 * Bodies, query strings and headers never get here, so neither do tokens or secrets. Requests to
 * Workers are only told to subscribers: their paths may hold one-time links.
 */
export function openJournal(file: string): Journal {
  const listeners = new Set<(entry: Entry) => void>()
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
      const entry = { time: new Date().toISOString(), ...happening }
      counts[happening.event] += 1
      if (happening.event !== "request") append(entry)
      for (const listener of listeners) listener(entry)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    counts: () => ({ ...counts }),
    close: () => closeSync(descriptor),
  }
}
