import { createColors } from "picocolors"
import * as z from "zod"

import { Failure, print } from "../output.ts"
import { LogEntry, openEvents, refused } from "../process/events.ts"
import { expectRunning } from "../process/local-cloudflare.ts"
import { logLine } from "./log-line.ts"

export type LogOptions = {
  state: string
  json: boolean
  follow: boolean
  /** How many past entries at most. */
  limit: number
  /** As `/local/log` takes them: kind, status, method, host, path, script, since. */
  filter: Record<string, string>
}

const Log = z.object({ entries: z.array(LogEntry) })

/** Prints what was, and with `follow` what comes until a signal. */
export async function log({ state, json, follow, limit, filter }: LogOptions): Promise<void> {
  const running = await expectRunning(state)
  endWithReader()
  // Stdout, unlike progress: a log that is piped into a file holds no colours.
  const paint = createColors(process.stdout.isTTY && !process.env["NO_COLOR"])
  if (follow) {
    const write = json ? (entry: LogEntry) => JSON.stringify(entry) : lines
    await followLog(running, { query: { ...filter, past: String(limit) }, write })
    return
  }
  const entries = await readLog(running, { ...filter, limit: String(limit) })
  if (json) return print(JSON.stringify(entries))
  for (const entry of entries) print(lines(entry))

  function lines(entry: LogEntry): string {
    return logLine(entry, paint)
  }
}

type Running = { api: string; token: string; ended: Promise<string> }

async function readLog({ api, token }: Running, query: Record<string, string>) {
  const url = new URL("/local/log", api)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw refused(await response.json())
  return Log.parse(await response.json()).entries
}

async function followLog(
  running: Running,
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
    throw new Failure("The local Cloudflare has ended.", { cause: error })
  }
  if (!stop.signal.aborted) throw new Failure("The local Cloudflare has ended.")
}

/** `log | head` closes the pipe when it has seen enough. */
function endWithReader(): void {
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit(0)
    throw error
  })
}
