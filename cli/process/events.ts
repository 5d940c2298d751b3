import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { createInterface } from "node:readline"

import * as z from "zod"

import { Failure } from "../output.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"

/** One entry of the local Cloudflare's log, of whatever kind. */
export const LogEntry = z.looseObject({ time: z.string(), event: z.string() })
export type LogEntry = z.infer<typeof LogEntry>

const Refusal = z.object({ errors: z.array(z.object({ message: z.string() })) })

/**
 * Everything from when this settles until the signal, or until the local Cloudflare ends.
 * @throws Failure with exit code 2 and the local Cloudflare's words when it refuses the query
 */
export async function openEvents(
  { api, token }: Pick<LocalCloudflare, "api" | "token">,
  { query = {}, signal }: { query?: Record<string, string>; signal: AbortSignal },
): Promise<AsyncIterable<LogEntry>> {
  const url = new URL("/local/events", api)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  // Not `fetch`: it gives a stream up after five minutes without an event.
  const call = request(url, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal,
  }).end()
  const [response]: IncomingMessage[] = await once(call, "response")
  if (!response) throw new Error("The local Cloudflare gave no answer")
  if (response.statusCode === 200) return readEvents(response)
  const text = (await response.setEncoding("utf8").toArray()).join("")
  throw refused(JSON.parse(text))
}

export function refused(answer: unknown): Failure {
  const { errors } = Refusal.parse(answer)
  return new Failure(errors.map(({ message }) => message).join("\n"), { exitCode: 2 })
}

async function* readEvents(stream: IncomingMessage): AsyncGenerator<LogEntry> {
  let event = ""
  for await (const line of createInterface({ input: stream })) {
    if (line.startsWith("event:")) event = line.slice("event:".length).trim()
    if (!line.startsWith("data:")) continue
    yield LogEntry.parse({ ...JSON.parse(line.slice("data:".length)), event })
  }
}
