import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import type { Served, Traffic } from "./traffic.ts"

/** How much worse than the version beside it a new one may serve its share of the traffic. */
export const TrafficLimits = z.strictObject({
  /** With fewer requests of either it is not judged, and not released; with 0 that is only said. */
  requests: z.number().min(0),
  /** Percentage points more of failing requests. */
  failures: z.number().min(0).optional(),
  /** Percent more processor time for a request. */
  cpu: z.number().min(0).optional(),
})

/** A step of a release. */
type Step = {
  traffic: Traffic
  limits: z.infer<typeof TrafficLimits>
  versionId: string
  percentage: number
  /** The version that has the rest of the traffic. */
  other: string
  /** When the step began, by Cloudflare's clock: milliseconds since 1970. */
  from: number
}

/** Milliseconds. A user has 1,200 requests in five minutes for all of Cloudflare's API. */
const pause = 10_000

/** Both throw when the version serves worse than the limits allow. */
export function watchTraffic(step: Step) {
  let next = Date.now() + pause
  /** @returns what was seen, and whether that is no judgement */
  async function conclude(): Promise<{ seen: string; unjudged: boolean }> {
    try {
      return await judge(step)
    } catch (error) {
      if (error instanceof Breach) throw error
      return { seen: `Cloudflare's logs could not be asked: ${messageOf(error)}`, unjudged: true }
    }
  }
  return {
    conclude,
    /** Asks now and then. */
    async look() {
      if (Date.now() < next) return
      await conclude()
      next = Date.now() + pause
    },
  }
}

class Breach extends Error {
  override name = "Breach"
}

async function judge({ traffic, limits, versionId, percentage, other, from }: Step) {
  const served = await traffic.served(from)
  const [tried, beside] = [served(versionId), served(other)]
  const least = Math.max(1, limits.requests)
  const isTried = tried.requests >= least
  const isJudged = isTried && beside.requests >= least
  const seen = `${describe(tried)}; version ${other}: ${describe(beside)}`
  const { failures = Infinity, cpu = Infinity } = limits
  const broken = [
    isTried && failedOf(tried) - failedOf(beside) > failures && `failures (${failures})`,
    isJudged && tried.cpuMs > beside.cpuMs * (1 + cpu / 100) && `cpu (${cpu})`,
  ].find((limit) => limit !== false)
  if (broken !== undefined) {
    const seconds = Math.round((Date.now() - from) / 1000)
    const what = `more than accounts:releaseLimits.${broken} worse than the version beside it`
    throw new Breach(`after ${seconds} s at ${percentage} % it was ${what}: ${seen}`)
  }
  if (isJudged) return { seen, unjudged: false }
  const isLate = tried.requests === 0 && !(await traffic.shows(versionId, from))
  const reason = isLate
    ? "Cloudflare's logs are late, and do not even show this release's own requests"
    : `too few requests, as accounts:releaseLimits asks for ${least} of each version: ${seen}`
  return { seen: reason, unjudged: true }
}

/** Percent. */
function failedOf({ requests, answers, exceptions }: Served): number {
  return (100 * (answers + exceptions)) / Math.max(requests, 1)
}

/** Where logs are sampled, Cloudflare's counts are estimates. */
function describe(served: Served): string {
  const [requests, answers, exceptions] = [served.requests, served.answers, served.exceptions].map(
    Math.round,
  )
  return `${requests} requests, ${failedOf(served).toFixed(1)} % failed (${answers} answered 5xx, ${exceptions} without an answer), ${served.cpuMs.toFixed(1)} ms of processor time each`
}
