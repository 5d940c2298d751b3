import * as z from "zod"

import { openEvents } from "../../cli/running/log.ts"

const EdgeRequest = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
})
type EdgeRequest = z.infer<typeof EdgeRequest>

/** Collects every request that the edge answers from now on, from the local Cloudflare's events. */
export async function followRequests(cloudflare: { api: string; token: string }) {
  const requests: EdgeRequest[] = []
  const stop = new AbortController()
  const events = await openEvents(cloudflare, { query: { kind: "request" }, signal: stop.signal })
  void (async () => {
    for await (const event of events) requests.push(EdgeRequest.parse(event))
  })().catch(() => {}) // The stream ends on disposal or when the local Cloudflare stops.
  return { seen: requests, [Symbol.dispose]: () => stop.abort() }
}
