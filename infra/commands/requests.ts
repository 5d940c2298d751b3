import { createInterface } from "node:readline"
import { Readable } from "node:stream"

import * as z from "zod"

import type { LocalCloudflare } from "./local-cloudflare.ts"
import { paint, say } from "./output.ts"

const Request = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
  ms: z.number(),
})

/** Prints a line for each request that reaches a Worker, until the signal. */
export async function showRequests(
  { api, token }: LocalCloudflare,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(new URL("/local/events", api), {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      signal,
    })
    if (!response.body) return
    let event = ""
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      if (line.startsWith("event:")) event = line.slice("event:".length).trim()
      if (event === "request" && line.startsWith("data:")) show(line.slice("data:".length))
    }
  } catch (error) {
    if (!signal.aborted) say(paint.yellow(`Requests are no longer shown: ${String(error)}`))
  }
}

function show(data: string): void {
  const { data: request } = Request.safeParse(JSON.parse(data))
  if (!request) return
  const { method, host, path, status, ms } = request
  const colour = status >= 500 ? paint.red : status >= 400 ? paint.yellow : paint.green
  say(
    `  ${colour(String(status))} ${method} ${paint.dim(host)}${path} ${paint.dim(`${Math.round(ms)} ms`)}`,
  )
}
