import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs"

import * as z from "zod"

import type { WorkerOutput } from "../plane/plane.ts"

/** Field names of Workers Logs. */
export const Key = z.enum([
  "$metadata.service",
  "$metadata.type",
  "$workers.eventType",
  "$workers.scriptVersion.id",
  "$workers.outcome",
  "$workers.cpuTimeMs",
  "$workers.event.request.path",
  "$workers.event.response.status",
])

/** A logged request to a Worker. `at` is in milliseconds since 1970; `sampleInterval` requests are logged as one. */
export type Invocation = {
  at: number
  sampleInterval: number
  values: Record<z.infer<typeof Key>, string | number>
}

export type Invocations = ReturnType<typeof createInvocations>

const mostInvocations = 100_000

/** Keeps the last invocations in memory. */
export function createInvocations(options: {
  /** Returns the share of the script's requests to log, from 0 to 1. */
  samplingOf: (script: string) => number
  /** Returns the CPU time that a version has used so far, in milliseconds. */
  processorTimeOf: (versionId: string) => number
}) {
  const invocations: Invocation[] = []
  /** CPU time by version. Undefined until the first query, because each reading inspects the process. */
  let cpuByVersion: Map<string, number> | undefined

  return {
    /** Records a request. The CPU time of concurrent requests is attributed to the request that ends first. */
    record({ time, script, versionId, path, status, outcome }: EdgeRequest) {
      if (script === null || versionId === null) return
      const now = cpuByVersion === undefined ? 0 : options.processorTimeOf(versionId)
      const cpuMs = Math.max(0, now - (cpuByVersion?.get(versionId) ?? now))
      cpuByVersion?.set(versionId, now)
      const sampling = options.samplingOf(script)
      if (Math.random() >= sampling) return
      const values = {
        "$metadata.service": script,
        "$metadata.type": "cf-worker-event",
        "$workers.eventType": "fetch",
        "$workers.scriptVersion.id": versionId,
        "$workers.outcome": outcome,
        "$workers.cpuTimeMs": cpuMs,
        "$workers.event.request.path": path,
        "$workers.event.response.status": status,
      }
      invocations.push({ at: Date.parse(time), sampleInterval: 1 / sampling, values })
      if (invocations.length > mostInvocations) invocations.shift()
    },
    between(from: number, to: number): Invocation[] {
      cpuByVersion ??= new Map()
      return invocations.filter(({ at }) => at >= from && at <= to)
    },
  }
}

/**
 * Masks tokens in a path. Keeps the first four characters of a segment that looks random, enough to tell two tokens
 * apart. Keeps hexadecimal ids whole.
 */
export function maskPath(path: string): string {
  return path.split("/").map(mask).join("/")
}

/** In characters: longer than lowercase words and slugs, shorter than any secure token. */
const shortestToken = 20

function mask(segment: string): string {
  return isToken(segment) ? `${segment.slice(0, 4)}…` : segment
}

function isToken(segment: string): boolean {
  if (segment.length < shortestToken || !/^[\w.~%+=-]+$/.test(segment)) return false
  // A UUID, or 32 hexadecimal digits, the form of Cloudflare's ids.
  if (/^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/.test(segment)) return false
  if (/[a-z]/.test(segment) && /[A-Z]/.test(segment)) return true
  const digits = segment.replaceAll(/\D/g, "").length
  return digits >= 4 && !segment.includes("-")
}

/** An event, for the log file, `/local/events` and the counters of `/local/status`. */
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

/** In bytes. A larger file is renamed to `<file>.1`, which replaces the previous file of that name. */
const rotationSize = 8 * 1024 * 1024
const unwrittenLimit = 1000

/**
 * Opens the log. Entries have no bodies, query strings or headers, and so no tokens or secrets. Requests to Workers
 * stay in memory, with tokens masked, because their paths may be one-time links. The output of Workers also stays in
 * memory, because it may contain secrets.
 */
export function openEventLog(file: string) {
  const listeners = new Set<(entry: Entry) => void>()
  const unwritten: Entry[] = []
  const counts = new Map<string, number>(kinds.map((kind) => [kind, 0]))
  let descriptor = openSync(file, "a", 0o600)
  // A killed process may have left an incomplete line.
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
    /** Returns the newest `limit` entries that match, oldest first. */
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

/** Masks the paths of requests to Workers, which faults also contain. */
function masked(event: Event): Event {
  if (event.event !== "request" && event.event !== "fault") return event
  return { ...event, path: maskPath(event.path) }
}

/** An entry of the log file. Its kind may be unknown, because a newer version may have written it. */
export const LoggedEntry = z.looseObject({ time: z.string(), event: z.string() })
export type LoggedEntry = z.infer<typeof LoggedEntry>

/** The kinds of entries that this version writes. */
const kinds = [
  "request",
  "api",
  "deployment",
  "cron",
  "worker",
  "fault",
  "unknown-route",
  "unknown-input",
  "problem",
] as const

/** Query parameters. */
export const logFilter = {
  kind: z.enum(kinds, `Use one of the kinds of entries: ${kinds.join(", ")}`).optional(),
}

const Filter = z.strictObject(logFilter)
type LogFilter = z.infer<typeof Filter>

export function matches(entry: LoggedEntry, { kind }: LogFilter): boolean {
  return kind === undefined || kind === entry.event
}

/** Reads the newest entries of a log file and its predecessor, oldest first. */
function readNewest(file: string, filter: LogFilter, limit: number): LoggedEntry[] {
  const newestFirst: LoggedEntry[] = []
  for (const name of [file, `${file}.1`]) {
    if (!existsSync(name)) continue
    for (const line of readFileSync(name, "utf8").split("\n").toReversed()) {
      if (newestFirst.length >= limit) break
      const entry = parseLine(line)
      if (entry !== undefined && matches(entry, filter)) newestFirst.push(entry)
    }
  }
  return newestFirst.toReversed()
}

function endsWithLine(file: string): boolean {
  const text = readFileSync(file)
  return text.length === 0 || text.at(-1) === 0x0a
}

/** @returns undefined for an incomplete line, which a killed process may leave */
function parseLine(line: string): LoggedEntry | undefined {
  try {
    return LoggedEntry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** A finished request to the edge, as the log and `/local/events` show it. */
export type EdgeRequest = {
  /** Arrival time in ISO 8601. */
  time: string
  method: string
  host: string
  /** Excludes the query string. */
  path: string
  /** 499 when the client disconnected before the response. */
  status: number
  /** Milliseconds from arrival to the end of the response. */
  ms: number
  /** Null if no route matches. */
  script: string | null
  versionId: string | null
  /** How the Worker's code ended. Not in the log. */
  outcome: "ok" | "exception" | "canceled"
}
