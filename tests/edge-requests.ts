import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { createInterface } from "node:readline"

import * as z from "zod"

const EdgeRequest = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
})
type EdgeRequest = z.infer<typeof EdgeRequest>

/** Every request that the edge answers from now on, as the local Cloudflare tells of it. */
export async function followRequests({ api, token }: { api: string; token: string }) {
  const seen: EdgeRequest[] = []
  const call = request(new URL("/local/events", api), {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  })
  // It ends with whoever follows or with the local Cloudflare.
  call.on("error", () => {})
  call.end()
  const [response]: IncomingMessage[] = await once(call, "response")
  if (!response) throw new Error("/local/events did not answer")
  response.on("error", () => {})
  const lines = createInterface({ input: response })
  lines.on("error", () => {})
  lines.on("line", (line) => {
    if (!line.startsWith("data:")) return
    const { data } = EdgeRequest.safeParse(JSON.parse(line.slice("data:".length)))
    if (data) seen.push(data)
  })
  return { seen, [Symbol.dispose]: () => void call.destroy() }
}
