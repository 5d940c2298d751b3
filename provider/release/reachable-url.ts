import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import type { Api } from "../api.ts"
import { look } from "./health.ts"
import type { Place } from "./service-request.ts"

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))

type Question = {
  api: Api
  accountId: string
  scriptName: string
  /** Where the Worker may be reached, the likeliest first. */
  urls: string[]
  connectTo: string | undefined
  /** Whether a version was tried out there before: then it is reached there, or it ought to be. */
  released: boolean
  signal: AbortSignal
}

/**
 * From where people reach the Worker; undefined when they cannot yet, because the run that would
 * have attached its hostname failed before it came to that.
 */
export async function findTraffic(question: Question): Promise<Place | undefined> {
  const { urls, connectTo, released, signal } = question
  for (const url of urls) {
    if (await isReached({ url, connectTo }, signal)) return { url, connectTo }
  }
  for (const url of urls) {
    if (released || (await isAttached(question, url))) return { url, connectTo }
  }
  return undefined
}

/** Whether an answer of the service comes back from there, well or not. */
async function isReached(place: Place, signal: AbortSignal): Promise<boolean> {
  for (const pause of [0, 500, 1500]) {
    await delay(pause, undefined, { signal })
    const seen = await look({ place }, 5000)
    if ("versionId" in seen || seen.reached) return true
  }
  return false
}

/** Whether Cloudflare leads the URL's host to this Worker, even if it does not answer now. */
async function isAttached(question: Question, url: string): Promise<boolean> {
  const { api, accountId, scriptName } = question
  const { hostname } = new URL(url)
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?hostname=${encodeURIComponent(hostname)}`, Domains)
  return domains.some((domain) => domain.hostname === hostname && domain.service === scriptName)
}
