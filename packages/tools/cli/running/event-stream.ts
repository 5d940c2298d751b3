import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { createInterface } from "node:readline"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import type { LocalCloudflare } from "../process/local-cloudflare.ts"

/** One entry of the local Cloudflare's log; `event` is its kind. */
export const LogEntry = z.looseObject({ time: z.string(), event: z.string() })
export type LogEntry = z.infer<typeof LogEntry>

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
  const call = request(url, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal,
  }).end()
  const [response]: IncomingMessage[] = await once(call, "response")
  if (!response) throw new Error("The local Cloudflare sent no response")
  if (response.statusCode === 200) return readEvents(response)
  const text = (await response.setEncoding("utf8").toArray()).join("")
  throw rejectedQuery(JSON.parse(text))
}

/** @param body the response body of the local Cloudflare, with its `errors` */
export function rejectedQuery(body: unknown): Failure {
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
