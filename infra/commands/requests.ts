import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { createInterface } from "node:readline"

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

/** From when this settles until the signal, prints a line for each request that reaches a Worker. */
export async function showRequests(
  { api, token }: LocalCloudflare,
  signal: AbortSignal,
): Promise<void> {
  // Not `fetch`: it gives a stream up after five minutes without an event.
  const call = request(new URL("/local/events", api), {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal,
  }).end()
  const [response]: IncomingMessage[] = await once(call, "response")
  if (response)
    void showEach(response).catch((error: unknown) => {
      if (!signal.aborted) say(paint.yellow(`Requests are no longer shown: ${String(error)}`))
    })
}

async function showEach(stream: IncomingMessage): Promise<void> {
  let event = ""
  for await (const line of createInterface({ input: stream })) {
    if (line.startsWith("event:")) event = line.slice("event:".length).trim()
    if (event === "request" && line.startsWith("data:")) show(line.slice("data:".length))
  }
}

function show(data: string): void {
  const { data: seen } = Request.safeParse(JSON.parse(data))
  if (!seen) return
  const { method, host, path, status, ms } = seen
  const colour = status >= 500 ? paint.red : status >= 400 ? paint.yellow : paint.green
  say(
    `  ${colour(String(status))} ${method} ${paint.dim(printable(host))}${printable(path)} ${paint.dim(`${Math.round(ms)} ms`)}`,
  )
}

/** Whoever sends a request must not get to steer the terminal. */
const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, "?")
