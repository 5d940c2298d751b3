import * as z from "zod"

import { paint, printable, say } from "../output.ts"
import type { LocalCloudflare } from "../process/local-cloudflare.ts"
import { type LogEntry, openEvents } from "../running/log.ts"

const Request = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
  ms: z.number(),
})

/** Prints a line for each request to a Worker, from the moment this resolves until the signal aborts. */
export async function showRequests(
  cloudflare: LocalCloudflare,
  signal: AbortSignal,
): Promise<void> {
  const entries = await openEvents(cloudflare, { query: { kind: "request" }, signal })
  void showEach(entries).catch((error: unknown) => {
    if (!signal.aborted) say(paint.yellow(`Requests are not shown any more: ${String(error)}`))
  })
}

async function showEach(entries: AsyncIterable<LogEntry>): Promise<void> {
  for await (const entry of entries) {
    const { data } = Request.safeParse(entry)
    if (data) show(data)
  }
}

function show({ method, host, path, status, ms }: z.infer<typeof Request>): void {
  const colour = status >= 500 ? paint.red : status >= 400 ? paint.yellow : paint.green
  say(
    `  ${colour(String(status))} ${method} ${paint.dim(printable(host))}${printable(path)} ${paint.dim(`${Math.round(ms)} ms`)}`,
  )
}
