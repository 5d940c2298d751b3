import * as z from "zod"

import { openEvents } from "../../cli/running/event-stream.ts"

const EdgeRequest = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
})
type EdgeRequest = z.infer<typeof EdgeRequest>

/** Every request that the edge answers from now on, as the local Cloudflare tells of it. */
export async function followRequests(cloudflare: { api: string; token: string }) {
  const seen: EdgeRequest[] = []
  const stop = new AbortController()
  const events = await openEvents(cloudflare, {
    query: { kind: "request" },
    signal: stop.signal,
  })
  void (async () => {
    for await (const event of events) seen.push(EdgeRequest.parse(event))
  })().catch(() => {}) // It ends with whoever follows or with the local Cloudflare.
  return { seen, [Symbol.dispose]: () => stop.abort() }
}
