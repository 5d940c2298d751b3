import * as z from "zod"

import type { Api } from "./api.ts"
import type { Place } from "./health-request.ts"
import { Unhealthy, awaitHealth } from "./health.ts"

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))

/** Whether an answer of the service comes back from there, well or not. */
export async function isReached(place: Place, signal: AbortSignal): Promise<boolean> {
  const limits = { total: 5000, request: 3000, pause: 500 }
  try {
    await awaitHealth({ place, limits, signal })
    return true
  } catch (error) {
    if (error instanceof Unhealthy) return error.reached
    throw error
  }
}

/** Whether Cloudflare leads the URL's host to this Worker, even if it does not answer now. */
export async function isAttached(options: {
  api: Api
  accountId: string
  scriptName: string
  url: string
}): Promise<boolean> {
  const { hostname } = new URL(options.url)
  const account = encodeURIComponent(options.accountId)
  const query = `hostname=${encodeURIComponent(hostname)}`
  const domains = await options.api.get(`/accounts/${account}/workers/domains?${query}`, Domains)
  return domains.some(
    (domain) => domain.hostname === hostname && domain.service === options.scriptName,
  )
}
