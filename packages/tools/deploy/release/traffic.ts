import * as z from "zod"

import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import type { WorkerPlace } from "../api.ts"

/** Requests to a version, except health checks. If logs are sampled, only sampled requests are included. */
type TrafficSample = {
  requests: number
  /** Responses with a status of 500 or more. */
  serverErrors: number
  /** Requests that ended in an exception or exceeded a limit of Cloudflare's. */
  exceptions: number
  /** Mean processor time of a request in milliseconds, and its variance. */
  cpuMs: number
  cpuVariance: number
}

export type Traffic = ReturnType<typeof openTraffic>

/** Fields of Workers Logs: developers.cloudflare.com/workers/observability/query-builder, cloudflare-typescript. */
const [version, outcome] = ["$workers.scriptVersion.id", "$workers.outcome"]
const ofCpu = { key: "$workers.cpuTimeMs", keyType: "number" }
const calculations = [
  { operator: "count", alias: "requests" },
  { operator: "avg", alias: "cpuMs", ...ofCpu },
  { operator: "variance", alias: "cpuVariance", ...ofCpu },
]
const exceptHealthChecks = ["$workers.event.request.path", "neq", "/api/health"] as const
const failing = ["$workers.event.response.status", "gte", 500] as const

const Answer = z.object({
  calculations: z.array(
    z.object({
      alias: z.string(),
      aggregates: z.array(
        z.object({
          /** Estimated number of requests, and how many requests each logged request represents. */
          count: z.number(),
          sampleInterval: z.number().positive(),
          /** Null for a single request, which has no variance. */
          value: z.number().nullable(),
          groups: z.array(z.object({ key: z.string(), value: z.unknown() })),
        }),
      ),
    }),
  ),
})

type Timeframe = { from: number; to: number }

/** Outcomes that are not the version's fault, such as a client that disconnected. */
const harmless = new Set(["ok", "canceled", "responseStreamDisconnected"])

/** Reads a Worker's requests by version from Workers Logs. `from` is in milliseconds since 1970. */
export function openTraffic({ api, accountId, scriptName }: WorkerPlace) {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/observability/telemetry/query`
  const ofWorker = [
    ["$metadata.service", "eq", scriptName],
    // Excludes log lines that a request writes.
    ["$metadata.type", "eq", "cf-worker-event"],
    ["$workers.eventType", "eq", "fetch"],
  ] as const

  async function ask(
    timeframe: Timeframe,
    ...otherFilters: (readonly [string, string, string | number])[]
  ) {
    const filters = [...ofWorker, ...otherFilters].map(([key, operation, value]) => {
      return { key, operation, type: typeof value, value }
    })
    const groupBys = [version, outcome].map((value) => ({ type: "string", value }))
    const parameters = { datasets: ["cloudflare-workers"], filters, calculations, groupBys }
    const shape = { view: "calculations", ignoreSeries: true, limit: 100 }
    const body = { queryId: "accounts-release", timeframe, ...shape, parameters }
    const answer = await api.query(path, body, Answer).catch((error: unknown) => {
      throw withPermission(error)
    })
    const aggregatesOf = (
      alias: string,
      versionId: string,
      counts = (_harmless: boolean) => true,
    ) =>
      answer.calculations
        .flatMap((calculation) => (calculation.alias === alias ? calculation.aggregates : []))
        .filter(({ groups }) => {
          const valueOf = (key: string) => groups.find((group) => group.key === key)?.value
          return valueOf(version) === versionId && counts(harmless.has(String(valueOf(outcome))))
        })
        .map(({ count, sampleInterval, value }) => ({ stored: count / sampleInterval, value }))
    const stored = (...which: Parameters<typeof aggregatesOf>) =>
      aggregatesOf(...which).reduce((sum, aggregate) => sum + aggregate.stored, 0)
    return {
      stored,
      /** The mean over all outcomes. */
      mean: (alias: string, versionId: string) =>
        aggregatesOf(alias, versionId).reduce(
          (sum, aggregate) => sum + (aggregate.value ?? 0) * aggregate.stored,
          0,
        ) / Math.max(stored(alias, versionId), 1),
    }
  }

  return {
    async served(from: number): Promise<(versionId: string) => TrafficSample> {
      const timeframe = since(from)
      // Failures first: a request that is logged between the two queries then raises only the total.
      const failed = await ask(timeframe, exceptHealthChecks, failing)
      const measured = await ask(timeframe, exceptHealthChecks)
      return (versionId) => ({
        requests: measured.stored("requests", versionId),
        serverErrors: failed.stored("requests", versionId, (isHarmless) => isHarmless),
        exceptions: measured.stored("requests", versionId, (isHarmless) => !isHarmless),
        cpuMs: measured.mean("cpuMs", versionId),
        cpuVariance: measured.mean("cpuVariance", versionId),
      })
    },
    /** Whether the logs already show a request to the version, including this release's own requests. */
    shows: async (versionId: string, from: number) =>
      (await ask(since(from))).stored("requests", versionId) > 0,
  }
}

/** `from` is Cloudflare's time, and this machine's clock may be behind. */
function since(from: number): Timeframe {
  return { from, to: Math.max(Date.now(), from + 1) }
}

/** A missing permission shows only in the status: Cloudflare's text is "Authentication error". */
function withPermission(error: unknown): unknown {
  if (!isFailure(error, "API_FAILED") || ![401, 403].includes(error.facts.status ?? 0)) return error
  const message = `${error.message}: accounts:releaseLimits needs a token with Account › Workers Observability: Edit`
  return new Failure("API_FAILED", message, { facts: error.facts, cause: error })
}

/** Limits how much worse a new version may perform than the live version. */
export const TrafficLimits = z.strictObject({
  /** Minimum of logged requests of each version. With fewer the release stops, unjudged; 0 only warns. */
  requests: z.number().min(0),
  /** Maximum additional failing requests, in percentage points. */
  failures: z.number().min(0).optional(),
  /** Maximum additional processor time for a request, in percent. */
  cpu: z.number().min(0).optional(),
})

type Step = {
  traffic: Traffic
  limits: z.infer<typeof TrafficLimits>
  versionId: string
  percentage: number
  /** The version that has the rest of the traffic. */
  other: string
  /** When the step began, by Cloudflare's clock: milliseconds since 1970. */
  from: number
  /** Seconds for which the version stays at this step. */
  bake: number
}

/** Milliseconds. Cloudflare's API allows a user 1,200 requests in five minutes. */
const longestPause = 10_000

/** Number of checks during a step of a few minutes or less. */
const checks = 20

/** Watches a step; both functions throw if the version serves worse than the limits allow. */
export function watchTraffic(step: Step) {
  const pause = Math.min(longestPause, (step.bake * 1000) / checks)
  let next = Date.now() + pause
  /** @returns a summary of the traffic, and whether it was too little to judge */
  async function conclude(): Promise<{ seen: string; unjudged: boolean }> {
    try {
      return await judge(step)
    } catch (error) {
      if (error instanceof LimitViolation) throw error
      return { seen: `Cloudflare's logs could not be asked: ${messageOf(error)}`, unjudged: true }
    }
  }
  return {
    conclude,
    /** Judges the traffic so far, at most once in `pause`. */
    async look() {
      if (Date.now() < next) return
      await conclude()
      next = Date.now() + pause
    },
  }
}

class LimitViolation extends Error {
  override name = "Breach"
}

async function judge({ traffic, limits, versionId, percentage, other, from }: Step) {
  const served = await traffic.served(from)
  const [newTraffic, beside] = [served(versionId), served(other)]
  const least = Math.max(1, limits.requests)
  const isTried = newTraffic.requests >= least
  const isJudged = isTried && beside.requests >= least
  const summary = `${describe(newTraffic)}; version ${other}: ${describe(beside)}`
  const { failures = Infinity, cpu = Infinity } = limits
  const fails = isTried && failedOf(newTraffic) - failedOf(beside) > failures
  const isSlow = isJudged && newTraffic.cpuMs > beside.cpuMs * (1 + cpu / 100)
  const exceeded = [
    ...(fails
      ? [{ limit: `failures (${failures})`, isChance: failsByChance(newTraffic, beside) }]
      : []),
    ...(isSlow ? [{ limit: `cpu (${cpu})`, isChance: isSlowByChance(newTraffic, beside) }] : []),
  ]
  const worst = exceeded.find(({ isChance }) => !isChance) ?? exceeded[0]
  const complaint = `more than accounts:releaseLimits.${worst?.limit} worse than the version beside it`
  if (worst?.isChance === false) {
    const seconds = Math.round((Date.now() - from) / 1000)
    throw new LimitViolation(
      `after ${seconds} s at ${percentage} % it was ${complaint}: ${summary}`,
    )
  }
  if (worst !== undefined) {
    return {
      seen: `${complaint}, but so few requests show that by chance: ${summary}`,
      unjudged: true,
    }
  }
  if (isJudged) return { seen: summary, unjudged: false }
  const isAbsent = newTraffic.requests === 0 && !(await traffic.shows(versionId, from))
  const reason = isAbsent
    ? "Cloudflare's logs show none of its requests, not even this release's own: they are late, or sampled too thinly"
    : `too few requests, as accounts:releaseLimits asks for ${least} of each version: ${summary}`
  return { seen: reason, unjudged: true }
}

/** Returns the percentage of requests that failed. */
function failedOf({ requests, serverErrors, exceptions }: TrafficSample): number {
  return (100 * (serverErrors + exceptions)) / Math.max(requests, 1)
}

/**
 * Significance level. A release is checked dozens of times, and any check can stop it, so about 1 in 100
 * releases that are as good as the live version is stopped.
 */
const significance = 0.0005

/** Whether chance explains the new version's share of all failures: the tail of a binomial distribution. */
function failsByChance(newTraffic: TrafficSample, beside: TrafficSample): boolean {
  const [ownCount, otherCount] = [newTraffic, beside].map((sample) =>
    Math.round(sample.serverErrors + sample.exceptions),
  )
  const [least, totalCount] = [ownCount ?? 0, (ownCount ?? 0) + (otherCount ?? 0)]
  const share = newTraffic.requests / (newTraffic.requests + beside.requests)
  if (share === 1) return true
  let [probability, tail] = [totalCount * Math.log1p(-share), 0]
  for (let count = 0; count <= totalCount; count += 1) {
    if (count >= least) tail += Math.exp(probability)
    probability += Math.log(((totalCount - count) / (count + 1)) * (share / (1 - share)))
  }
  return tail > significance
}

/** Whether the difference is within 3.29 standard errors: sign-ins take much longer than other requests. */
function isSlowByChance(newTraffic: TrafficSample, beside: TrafficSample): boolean {
  // The values of a few requests may be equal, which leaves no variance.
  if (Math.min(newTraffic.requests, beside.requests) < 30) return true
  const error = Math.sqrt(
    newTraffic.cpuVariance / newTraffic.requests + beside.cpuVariance / beside.requests,
  )
  return newTraffic.cpuMs - beside.cpuMs <= 3.29 * error
}

function describe(served: TrafficSample): string {
  const [requests, serverErrors, exceptions] = [
    served.requests,
    served.serverErrors,
    served.exceptions,
  ].map(Math.round)
  return `${requests} requests, ${failedOf(served).toFixed(1)} % failed (${serverErrors} answered 5xx, ${exceptions} without an answer), ${served.cpuMs.toFixed(1)} ms of processor time each`
}
