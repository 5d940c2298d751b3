import { messageOf } from "../../base/failure.ts"
import type { Served, Traffic, TrafficLimits } from "./traffic.ts"

/** A step of a release, as what it does to members is watched. */
type Step = {
  traffic: Traffic
  limits: TrafficLimits
  versionId: string
  percentage: number
  /** The version that has the rest of the traffic. */
  other: string
  /** When the step began, by Cloudflare's clock: milliseconds since 1970. */
  from: number
}

export type TrafficWatch = {
  /** Asks now and then. @throws Error when the version serves worse than the limits allow */
  look(): Promise<void>
  /**
   * Asks once more. @returns what was seen, and why it is no judgement, if it is none
   * @throws Error when the version serves worse than the limits allow
   */
  conclude(): Promise<{ seen: string; unjudged: boolean }>
}

/** Milliseconds. A user has 1,200 requests in five minutes for all of Cloudflare's API. */
const pause = 10_000

export function watchTraffic(step: Step): TrafficWatch {
  let next = Date.now() + pause

  async function conclude() {
    try {
      return await judge(step)
    } catch (error) {
      if (error instanceof Breach) throw error
      return { seen: `Cloudflare's logs could not be asked: ${messageOf(error)}`, unjudged: true }
    }
  }

  return {
    conclude,
    async look() {
      if (Date.now() < next) return
      await conclude()
      next = Date.now() + pause
    },
  }
}

/** More harm than the limits allow. */
class Breach extends Error {
  override name = "Breach"
}

async function judge({ traffic, limits, versionId, percentage, other, from }: Step) {
  const served = await traffic.served(from)
  const [tried, beside] = [served(versionId), served(other)]
  const least = Math.max(1, limits.requests)
  const isEnough = ({ requests }: Served) => requests >= least
  const seen = `${describe(tried)}; version ${other}: ${describe(beside)}`
  const seconds = Math.round((Date.now() - from) / 1000)
  const refuse = (key: keyof TrafficLimits, unit: string) => {
    const allowed = `accounts:releaseLimits allows ${limits[key]} ${unit} more than the version beside it`
    throw new Breach(`after ${seconds} s at ${percentage} % it had ${seen}: ${allowed}`)
  }
  const { failures = Infinity, cpu = Infinity } = limits
  if (isEnough(tried) && failedOf(tried) - failedOf(beside) > failures) {
    refuse("failures", "percentage points of failing requests")
  }
  const isSlower = cpuOf(tried) > cpuOf(beside) * (1 + cpu / 100)
  if (isEnough(tried) && isEnough(beside) && isSlower) refuse("cpu", "% of processor time")
  if (isEnough(tried) && isEnough(beside)) return { seen, unjudged: false }
  const isLate = tried.requests === 0 && !(await traffic.shows(versionId, from))
  const reason = isLate
    ? "Cloudflare's logs are late, and do not even show this release's own requests"
    : `too few requests, as accounts:releaseLimits asks for ${least} of each version: ${seen}`
  return { seen: reason, unjudged: true }
}

function failedOf({ requests, answers, exceptions }: Served): number {
  return requests === 0 ? 0 : (100 * (answers + exceptions)) / requests
}

/** Milliseconds for a request. */
function cpuOf({ requests, cpuMs }: Served): number {
  return requests === 0 ? 0 : cpuMs / requests
}

function describe(served: Served): string {
  const { requests, answers, exceptions } = served
  const failed = `${failedOf(served).toFixed(1)} % failed (${round(answers)} answered 5xx, ${round(exceptions)} without an answer)`
  return `${round(requests)} requests, ${failed}, ${cpuOf(served).toFixed(1)} ms of processor time each`
}

/** Where logs are sampled, Cloudflare's counts are estimates. */
function round(count: number): string {
  return String(Math.round(count))
}
