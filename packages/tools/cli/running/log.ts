import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { paintFor, print } from "../output.ts"
import { expectRunning, request, type LocalCloudflare } from "../process/local-cloudflare.ts"
import { LogEntry, openEvents, rejectedQuery } from "./event-stream.ts"
import { logLine } from "./log-line.ts"

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
  // For stdout, which may be a file or a pipe while stderr is a terminal.
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
