import { once } from "node:events"
import { type IncomingMessage, request as openRequest } from "node:http"
import { createInterface } from "node:readline"

import type { createColors } from "picocolors"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { paintFor, print, printable } from "../output.ts"
import { expectRunning, type LocalCloudflare, request } from "../process/local-cloudflare.ts"

/** An entry of the local Cloudflare's log; `event` is its kind. */
const LogEntry = z.looseObject({ time: z.string(), event: z.string() })
export type LogEntry = z.infer<typeof LogEntry>

const Log = z.object({ entries: z.array(LogEntry) })

/** Prints past events; with `follow`, new ones until a signal. */
export async function log(options: {
  state: string
  json: boolean
  follow: boolean
  /** Maximum number of past events. */
  limit: number
  /** Query of `/local/log`. */
  filter: Record<string, string>
}): Promise<void> {
  const { state, json, follow, limit, filter } = options
  const running = await expectRunning(state)
  // Stdout may be a file or a pipe while stderr is a terminal.
  const paint = paintFor(process.stdout)
  const format = (entry: LogEntry) => logLine(entry, paint)
  if (follow) {
    const write = json ? (entry: LogEntry) => JSON.stringify(entry) : format
    return await followLog(running, { query: { ...filter, past: String(limit) }, write })
  }
  const entries = await readLog(running, { ...filter, limit: String(limit) })
  if (json) return print(JSON.stringify(entries))
  for (const entry of entries) print(format(entry))
}

async function readLog(running: LocalCloudflare, query: Record<string, string>) {
  const response = await request(running, "/local/log", { query })
  if (!response.ok) throw rejectedQuery(await response.json())
  return Log.parse(await response.json()).entries
}

async function followLog(
  running: LocalCloudflare,
  { query, write }: { query: Record<string, string>; write: (entry: LogEntry) => string },
): Promise<void> {
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  try {
    const entries = await openEvents(running, { query, signal: stop.signal })
    for await (const entry of entries) print(write(entry))
  } catch (error) {
    if (stop.signal.aborted) return
    if (error instanceof Failure) throw error
    throw stopped(error)
  }
  if (!stop.signal.aborted) throw stopped()
}

function stopped(cause?: unknown): Failure {
  return new Failure("COMMAND_FAILED", "The local Cloudflare has stopped.", { cause })
}

type Paint = ReturnType<typeof createColors>

/** Width of the longest known kind. */
const kindWidth = 13

/**
 * Formats an entry for the terminal: time, kind, status, milliseconds, method, host with path, then its other
 * fields. Unknown kinds have the same format.
 */
function logLine(entry: LogEntry, paint: Paint): string {
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
  // Swedish dates and times have the format of ISO 8601.
  const [day, today] = [at, new Date()].map((date) => date.toLocaleDateString("sv"))
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

const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) })

/**
 * Streams events from the moment this resolves until the signal aborts or the local Cloudflare stops.
 * @throws Failure USAGE with the local Cloudflare's message if it rejects the query
 */
export async function openEvents(
  { api, token }: Pick<LocalCloudflare, "api" | "token">,
  { query = {}, signal }: { query?: Record<string, string>; signal: AbortSignal },
): Promise<AsyncIterable<LogEntry>> {
  const url = new URL("/local/events", api)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  // Not `fetch`, which drops a stream after five minutes without an event.
  const call = openRequest(url, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal,
  }).end()
  const [response]: IncomingMessage[] = await once(call, "response")
  if (!response) throw new Error("The local Cloudflare sent no response")
  if (response.statusCode === 200) return readEvents(response)
  const refused = (await response.setEncoding("utf8").toArray()).join("")
  throw rejectedQuery(JSON.parse(refused))
}

/** @param body the response body of the local Cloudflare, with its `errors` */
function rejectedQuery(body: unknown): Failure {
  const { errors } = Refusal.parse(body)
  return new Failure("USAGE", errors.map(({ message }) => message).join("\n"))
}

async function* readEvents(stream: IncomingMessage): AsyncGenerator<LogEntry> {
  let event = ""
  for await (const line of createInterface({ input: stream })) {
    if (line.startsWith("event:")) event = line.slice("event:".length).trim()
    if (!line.startsWith("data:")) continue
    yield LogEntry.parse({ ...JSON.parse(line.slice("data:".length)), event })
  }
}
