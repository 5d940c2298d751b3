import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import type { Api } from "../api.ts"
import { checkHealthOnce } from "./health.ts"
import type { ServiceAddress } from "./shared-inputs.ts"

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))

type Search = {
  api: Api
  accountId: string
  scriptName: string
  /** URLs that may lead to the Worker, the likeliest first. */
  urls: string[]
  connectTo: string | undefined
  /** Whether a version was tried there before, so that it is or should be reachable. */
  released: boolean
  signal: AbortSignal
}

/**
 * The first URL at which clients reach the Worker. Undefined when none leads to it yet: an earlier
 * run failed before it attached the hostname.
 */
export async function findReachableUrl(search: Search): Promise<ServiceAddress | undefined> {
  const { urls, connectTo, released, signal } = search
  for (const url of urls) {
    if (await answers({ url, connectTo }, signal)) return { url, connectTo }
  }
  for (const url of urls) {
    if (released || (await isAttached(search, url))) return { url, connectTo }
  }
  return undefined
}

/** Whether the service answers there, healthy or not. */
async function answers(address: ServiceAddress, signal: AbortSignal): Promise<boolean> {
  for (const pause of [0, 500, 1500]) {
    await delay(pause, undefined, { signal })
    const result = await checkHealthOnce({ address }, 5000)
    if ("versionId" in result || result.reached) return true
  }
  return false
}

/** Whether the URL's host is a custom domain of this Worker, even if it does not answer now. */
async function isAttached(search: Search, url: string): Promise<boolean> {
  const { api, accountId, scriptName } = search
  const { hostname } = new URL(url)
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/domains`
  const domains = await api.get(`${path}?hostname=${encodeURIComponent(hostname)}`, Domains)
  return domains.some((domain) => domain.hostname === hostname && domain.service === scriptName)
}
